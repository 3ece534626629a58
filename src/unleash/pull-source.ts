import * as v from "valibot";
import { type Kind, type Line, type Place, toPrintable } from "../dataset/kind.ts";
import { requireShallow } from "../dataset/text.ts";
import { type Connection, messageIn } from "../http/other-server.ts";
import type { Log } from "../lib/logger.ts";
import { parsedJson } from "../lib/text.ts";
import { kindNamed } from "../transfer/all-kinds.ts";
import { type Answers, openAnswers } from "./pull-answers.ts";

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

function messageOf(body: string): string {
  const message = messageIn(body);
  return typeof message === "string" ? message : "it does not say why";
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

type Node = v.GenericSchema & {
  wrapped?: Node;
  item?: Node;
  value?: Node;
  entries?: Record<string, Node>;
};

/** A line of a kind, from a thing of another system. */
export const lineOf = ({ name, schema }: Kind, thing: object, place: Place): Line => ({
  place,
  read() {
    const keys = fit(schema, thing) as object;
    requireShallow(keys, place);
    return { kind: name, keys };
  },
});

/**
 * A value from another system in the shape of a schema, as far as that needs no guess: JSON text becomes its value, 0
 * and 1 become false and true, numbers become text, unknown keys and nulls of optional keys are left out. Anything else
 * stays as it is, so that checking it says what is wrong.
 */
function fit(schema: Node, value: unknown): unknown {
  const { wrapped, item, entries, type } = schema;
  if (wrapped && value !== null) return fit(wrapped, value);
  if (wrapped) return type === "nullable" ? null : undefined;
  if (type === "boolean") return value === 0 || value === 1 ? value === 1 : value;
  if (type === "string")
    return typeof value === "number" || typeof value === "boolean" ? String(value) : value;
  if (!/^(array|(strict_|loose_)?object|record|custom)$/.test(type)) return value;
  const json = typeof value === "string" ? parsedJson(value) : undefined;
  const parsed = json === undefined ? value : json;
  if (item) return Array.isArray(parsed) ? parsed.map((one) => fit(item, one)) : parsed;
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) return parsed;
  return fitObject(schema, entries, parsed as Record<string, unknown>);
}

function fitObject(schema: Node, entries: Node["entries"], value: Record<string, unknown>) {
  const known = Object.entries(value).flatMap(([key, one]) => {
    const own = entries ? entries[key] : schema.value;
    if (own === undefined) return entries ? [] : [[key, one]];
    const fitted = fit(own, one);
    return fitted === undefined ? [] : [[key, fitted]];
  });
  return Object.fromEntries(known);
}
