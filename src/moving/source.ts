import * as v from "valibot";
import { type Line, toPrintable } from "../dataset/kind.ts";
import type { Connection } from "../http/client.ts";
import type { Log } from "../lib/logger.ts";
import { kindNamed } from "../transfer/kinds.ts";
import { type Answers, openAnswers } from "./answers.ts";
import { lineOf } from "./fit.ts";

/*
 * What the converters of answers to lines share: reading answers of the right shape, and noting what is lost.
 */

/** Any object of an answer: what is not known is passed over, what becomes part of a line is checked with it. */
export const Thing = v.looseObject({});
export type Thing = Record<string, unknown>;

/** Something that does not come along. */
export interface Loss {
  what: string;
  /** How many, if that is known. */
  count?: number;
  reason: string;
}

export interface PullOptions {
  /** Only these projects; all if there are none. */
  projects: readonly string[];
  withEvents: boolean;
  /** Leaves out people, tokens, integrations, applications and the log. */
  onlyFlags: boolean;
}

/** A server to read from, and what was found out so far. */
export interface Pull {
  url: string;
  answers: Answers;
  options: PullOptions;
  losses: Loss[];
  /** How many of each noun were read, by the names in the server's statistics. */
  counts: Record<string, number>;
  onProgress(noun: string, done: number, total: number): void;
}

/** A server of which nothing has been read yet; what it answers is kept in the folder. */
export const openPull = (
  folder: string,
  server: Connection,
  { parallel = PARALLEL, log, onProgress = () => {}, ...options }: PullOptions & Reporting,
): Pull => ({
  url: server.url,
  answers: openAnswers(folder, server, { parallel, log }),
  options,
  losses: [],
  counts: {},
  onProgress,
});

interface Reporting {
  /** How many requests are sent at once. */
  parallel?: number;
  log: Log;
  onProgress?: Pull["onProgress"];
}

/** How many requests are sent at once, unless somebody says otherwise. */
export const PARALLEL = 4;

export const ADMIN = "/api/admin";

/** Makes sure that there are answers to these paths below `/api/admin`. */
export const keep = ({ answers, onProgress }: Pull, noun: string, paths: readonly string[]) =>
  answers.keep(
    paths.map((one) => `${ADMIN}/${one}`),
    (done) => onProgress(noun, done, paths.length),
  );

/** Reads what has to be there. @throws Error naming the server, the path and what is wrong */
export async function read<S extends v.GenericSchema>(
  pull: Pull,
  path: string,
  schema: S,
): Promise<v.InferOutput<S>> {
  const { status, body } = await answerTo(pull, path);
  if (status === 200) return shaped(pull, path, schema, body);
  throw new Error(`${pull.url} responded with ${status} to ${ADMIN}/${path}: ${messageOf(body)}`);
}

/** Reads a list that has to be there. */
export const readList = async (pull: Pull, path: string, key: string): Promise<Thing[]> =>
  (await read(pull, path, v.object({ [key]: v.array(Thing) })))[key]!;

/** Reads what an edition may not have or the token may not see; it is noted as lost if it has a name. */
export async function readIfTold<S extends v.GenericSchema>(
  pull: Pull,
  path: string,
  schema: S,
  what?: string,
): Promise<v.InferOutput<S> | undefined> {
  const { status, body } = await answerTo(pull, path);
  if (status === 200) return shaped(pull, path, schema, body);
  const reason = status === 404 ? "this server does not tell them" : messageOf(body);
  if (what !== undefined && !pull.losses.some((loss) => loss.what === what))
    pull.losses.push({ what, reason: toPrintable(reason) });
  return undefined;
}

/** Reads a list, which is empty if it is not told. */
export const readListIfTold = async (pull: Pull, path: string, key: string, what: string): Promise<Thing[]> =>
  (await readIfTold(pull, path, v.object({ [key]: v.array(Thing) }), what))?.[key] ?? [];

async function answerTo(pull: Pull, path: string) {
  await pull.answers.keep([`${ADMIN}/${path}`]);
  return pull.answers.read(`${ADMIN}/${path}`);
}

function shaped<S extends v.GenericSchema>(
  { url }: Pull,
  path: string,
  schema: S,
  body: string,
): v.InferOutput<S> {
  const result = v.safeParse(schema, JSON.parse(body));
  if (result.success) return result.output;
  const [issue] = result.issues;
  const where = v.getDotPath(issue) ?? "the answer";
  throw new Error(`${url} gave an unexpected answer to ${ADMIN}/${path}: ${where} ${issue.message}`);
}

const Failure = v.object({ message: v.string() });

function messageOf(body: string): string {
  try {
    return v.parse(Failure, JSON.parse(body)).message;
  } catch {
    return "it does not say why";
  }
}

/** Lines of a kind, from an answer. What a line doesn't have is left out. */
export const toLines = (pull: Pull, path: string, kind: string, list: readonly object[]): Line[] =>
  list.map((thing) => lineOf(kindNamed(kind)!, thing, { answer: `${pull.url}${ADMIN}/${path}` }));

/** A list of things, which may be missing. */
export const listOf = (value: unknown): Thing[] => (Array.isArray(value) ? value : []);

/** Notes what does not come along, if there is any. */
export function lose(pull: Pull, what: string, count: number, reason: string) {
  if (count > 0) pull.losses.push({ what, count, reason });
}

/** Whether something belongs to a project that is wanted, or to all. */
export const isWanted = ({ options }: Pull, project: unknown) =>
  options.projects.length === 0 || project == null || options.projects.includes(String(project));

export const inPath = (name: unknown) => encodeURIComponent(String(name));
