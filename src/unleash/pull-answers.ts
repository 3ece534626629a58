import { hash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import * as v from "valibot";
import type { Connection } from "../http/other-server.ts";
import type { Log } from "../lib/logger.ts";
import { type Answer, askPatiently } from "./asking.ts";

/*
 * What a server has answered is kept in a folder, a file per answer, until all of it is stored: so a pull that was
 * interrupted goes on where it stopped, memory is bounded by one answer, and a watch asks again only for what changed.
 * The answers contain secrets: only their owner may read the folder.
 */

/** What a folder of answers was begun for. */
const Source = v.object({
  url: v.string(),
  startedAt: v.string(),
  /** The newest event that the answers include, once that is known. */
  event: v.nullable(v.number()),
});
export type Source = v.InferOutput<typeof Source>;

const SOURCE = "source.json";

/** The answers of a server that are needed, and how to get them. */
export interface Answers {
  source: Source;
  /** Whether none was there before. */
  isNew: boolean;
  /** How many are there. */
  count(): number;
  /** Asks for what is not there yet, a few at once, in this order. */
  keep(paths: readonly string[], onProgress?: (done: number) => void): Promise<void>;
  /** An answer that is kept. */
  read(path: string): Pick<Answer, "status" | "body">;
  /** Asks again for what matches when it is needed next, unless the server says that it is still the same. */
  forget(matches: (path: string) => boolean): void;
  /** Remembers the newest event that the answers include. */
  includes(event: number): void;
  remove(): void;
}

interface Options {
  parallel: number;
  log: Log;
}

/** The answers in a folder, which is made if there is none. */
export function openAnswers(folder: string, server: Connection, { parallel, log }: Options): Answers {
  const source = readSource(folder) ?? begin(folder, server.url);
  const known = knownAnswers(folder);
  const stale = new Set<string>();
  const fileOf = (asked: string) => path.join(folder, `${hash("sha256", asked)}.answer`);
  const keepOne = async (asked: string) => {
    const etag = known.get(asked);
    const answer = await askPatiently(server, asked, { etag: etag || undefined, log });
    if (answer.status !== 304) write(fileOf(asked), asked, answer);
    known.set(asked, answer.status === 304 ? etag! : answer.etag);
    stale.delete(asked);
  };
  return {
    source,
    isNew: known.size === 0,
    count: () => known.size,
    async keep(paths, onProgress = () => {}) {
      let done = 0;
      const missing = paths.filter((one) => !known.has(one) || stale.has(one));
      const rest = inTurn(missing);
      const work = async () => {
        for (const asked of rest) {
          await keepOne(asked);
          onProgress(++done + paths.length - missing.length);
        }
      };
      await Promise.all(Array.from({ length: parallel }, work));
    },
    read: (asked) => read(fileOf(asked)),
    forget(matches) {
      for (const asked of known.keys()) if (matches(asked)) stale.add(asked);
    },
    includes(event) {
      source.event = event;
      writeSource(folder, source);
    },
    remove: () => fs.rmSync(folder, { recursive: true, force: true }),
  };
}

/** Shared by several loops, of which the first to fail ends the others. */
function* inTurn<T>(list: readonly T[]): Generator<T> {
  yield* list;
}

/** What a folder was begun for; undefined if there is none that could be used. */
export function readSource(folder: string): Source | undefined {
  try {
    return v.parse(Source, JSON.parse(fs.readFileSync(path.join(folder, SOURCE), "utf8")));
  } catch {
    return undefined;
  }
}

function begin(folder: string, url: string): Source {
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder, { mode: 0o700 });
  const source = { url, startedAt: new Date().toISOString(), event: null };
  writeSource(folder, source);
  return source;
}

const writeSource = (folder: string, source: Source) =>
  writeWhole(path.join(folder, SOURCE), JSON.stringify(source));

/** A file is complete or not there, whenever the process is killed. */
function writeWhole(file: string, content: string) {
  fs.writeFileSync(`${file}.new`, content, { mode: 0o600 });
  fs.renameSync(`${file}.new`, file);
}

/** What begins an answer's file, in a line of its own. */
interface Head {
  path: string;
  status: number;
  etag: string;
}

const write = (file: string, asked: string, { status, etag, body }: Answer) =>
  writeWhole(file, `${JSON.stringify({ path: asked, status, etag } satisfies Head)}\n${body}`);

function read(file: string) {
  const content = fs.readFileSync(file, "utf8");
  const end = content.indexOf("\n");
  return { ...(JSON.parse(content.slice(0, end)) as Head), body: content.slice(end + 1) };
}

/** The ETags of the answers in a folder by path; another token may be allowed what was refused. */
function knownAnswers(folder: string): Map<string, string> {
  const files = fs.readdirSync(folder).filter((name) => name.endsWith(".answer"));
  const heads = files.map((name) => read(path.join(folder, name)));
  return new Map(heads.filter(({ status }) => status === 200).map((head) => [head.path, head.etag]));
}
