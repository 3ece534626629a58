import { CLI } from "../access/actor.ts";
import { DataError } from "../db/error.ts";
import { write } from "../events/write.ts";
import { disable, enable } from "../flags/feature-environments.ts";
import { createFeatureOperation } from "../flags/features-routes.ts";
import { createSegment } from "../flags/segments.ts";
import { deleteStrategy } from "../flags/strategies.ts";
import { rewordErrors } from "../flags-as-text/plan.ts";
import type { Change, Step } from "../flags-as-text/step.ts";
import { WithHeaders } from "../http/operation.ts";
import { type Connection, messageIn, pathOf } from "../http/other-server.ts";
import type { PerformedRequest } from "../http/perform.ts";
import type { Log } from "../lib/logger.ts";
import { createProject } from "../projects/projects-routes.ts";
import { sendPatiently } from "./asking.ts";
import { type Left, leaving } from "./outgoing-lines.ts";
import { changesToPush, type PushOptions } from "./push-changes.ts";

/** What a server lacks, and the requests that give it that. */
export interface Plan {
  steps: Step[];
  requests: PushRequest[];
  left: Left[];
}

interface PushRequest extends PerformedRequest {
  /** What it changes. */
  where: string;
}

/**
 * Makes the changes in the copy of the server, and takes down the requests that make them. What is to be off goes off
 * first, what is to be on goes on last, so that no flag is on without its strategies meanwhile.
 */
export function planPush(options: PushOptions): Plan {
  const { leave, list } = leaving();
  const steps: Step[] = [];
  const requests: PushRequest[] = [];
  write(options.theirs, CLI, (tx) => {
    const failed: string[] = [];
    for (const change of changesToPush({ ...options, leave }, tx)) {
      const { where } = change;
      if (failed.some((one) => where === one || where.startsWith(`${one} in `))) continue;
      try {
        requests.push(...requestsOf(change, tx));
        steps.push(...change.steps);
      } catch (error) {
        if (!(error instanceof DataError)) throw error;
        failed.push(where);
        leave("change", "the server would refuse it", error.message);
      }
    }
  });
  return { steps, requests: requests.toSorted((a, b) => turnOf(a) - turnOf(b)), left: list() };
}

function requestsOf({ where, act }: Change, tx: Parameters<Change["act"]>[0]): PushRequest[] {
  const requests: PushRequest[] = [];
  const onPerformed = (request: PerformedRequest) => requests.push({ ...request, where });
  rewordErrors(where, () => act({ ...tx, onPerformed }));
  return requests;
}

const turnOf = ({ operation }: PushRequest) => (operation === disable ? 0 : operation === enable ? 2 : 1);

interface Sending {
  log: Log;
  onProgress(done: number, total: number): void;
}

/**
 * Sends the requests, one after the other. A second push after an interruption goes on where this one ends, since it
 * looks for what is missing by then.
 * @returns what the server refused
 * @throws Error naming the server and what to do
 */
export async function sendPush(
  server: Connection,
  requests: readonly PushRequest[],
  { log, onProgress }: Sending,
): Promise<Left[]> {
  const { leave, list } = leaving();
  const lacking = whatLacks();
  const ids: Ids = new Map();
  for (const [index, request] of requests.entries()) {
    const reason = lacking.reasonFor(request) ?? (await refusalOf(server, request, ids, log));
    if (reason !== undefined) {
      leave("change", reason, request.where);
      lacking.add(request, await createdBy(request));
    }
    onProgress(index + 1, requests.length);
  }
  return list();
}

/** The ids that the server has given, by those in our copy of it. */
type Ids = Map<unknown, unknown>;

/** Sends one. @returns why the server refused it */
async function refusalOf(server: Connection, request: PushRequest, ids: Ids, log: Log) {
  const { operation, params } = request;
  const body = request.body === undefined ? "" : JSON.stringify(translated(ids, request.body));
  const { method } = operation;
  const answer = await sendPatiently(server, pathOf(operation, { params }), { method, body, log });
  if (answer.status >= 300)
    return toReason(answer.status, String(messageIn(answer.body) ?? "it does not say why"));
  const { id } = await createdBy(request);
  if (id !== undefined) ids.set(id, JSON.parse(answer.body).id);
  return undefined;
}

/** Some operations are only in editions that are paid for, or in later versions. */
const toReason = (status: number, message: string) =>
  status === 404 && /path you were looking for|has no operation/.test(message)
    ? "the server has no such operation, in this edition or version"
    : `the server refused it with ${status}: ${message}`;

/** What our copy of the server has answered. */
async function createdBy({ result }: PushRequest): Promise<{ id?: unknown }> {
  const answer = await result;
  return ((answer instanceof WithHeaders ? answer.body : answer) ?? {}) as { id?: unknown };
}

/** A body with the server's ids of segments, and of strategies that are to be sorted. */
function translated(ids: Ids, body: unknown): unknown {
  const toTheirs = (id: unknown) => ids.get(id) ?? id;
  if (Array.isArray(body)) return body.map((one) => ("id" in one ? { ...one, id: toTheirs(one.id) } : one));
  const { segments } = body as { segments?: unknown[] };
  return segments ? { ...(body as object), segments: segments.map(toTheirs) } : body;
}

/** What could not be created or changed, so that nothing is made with it. */
function whatLacks() {
  const projects = new Set<unknown>();
  const segments = new Set<unknown>();
  const flags = new Set<unknown>();
  const incomplete = new Set<unknown>();
  return {
    reasonFor({ operation, params, body }: PushRequest) {
      const flag = flagOf(params);
      const { segments: used = [] } = (body ?? {}) as { segments?: unknown[] };
      if (projects.has(params.projectId)) return `the project ${params.projectId} could not be created`;
      if (flags.has(flag)) return `the flag ${flag} could not be created`;
      if (used.some((id) => segments.has(id))) return "a segment of it could not be created";
      const isLast = operation === enable || operation === deleteStrategy;
      if (isLast && incomplete.has(flag)) return "stays as it is, since not all else of the flag was changed";
      return undefined;
    },
    add({ operation, params, body }: PushRequest, { id }: { id?: unknown }) {
      const { id: project, name } = (body ?? {}) as { id?: unknown; name?: unknown };
      if (operation === createProject) projects.add(project);
      if (operation === createSegment) segments.add(id);
      if (operation === createFeatureOperation) flags.add(name);
      incomplete.add(flagOf(params));
    },
  };
}

const flagOf = ({ featureName, child }: Record<string, string>) => featureName ?? child;
