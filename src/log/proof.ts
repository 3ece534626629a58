import { type Database, snapshot } from "../db/database.ts";
import { query, valueQuery } from "../db/statement.ts";
import {
  CONTENT,
  currentSeal,
  digestOfUnproved,
  type Head,
  hashOf,
  headOf,
  lastId,
  type Seal,
  seals,
} from "../events/chain.ts";

/** Something wrong with the log. */
export interface Finding {
  /** The event's id; for a seal or the end of the log, that of the last event before it. */
  event: number;
  problem: "changed" | "removed" | "inserted" | "swapped";
  message: string;
}

export interface Proof {
  ok: boolean;
  /** How many events have a hash that fits. */
  proved: number;
  /** How many have none, since they were not recorded here; a seal says how many there must be, and hashes them together. */
  unproved: number;
  gaps: Seal[];
  head: Head;
  /** How many problems there are, and the first of them. */
  problems: number;
  findings: Finding[];
}

/** The most findings that are listed. */
const MAX_LISTED = 100;

/** An event or a seal. */
interface Link {
  /** The event's id, or that of the last event before the seal. */
  id: number;
  content: string;
  /** Empty for an event without one. */
  hash: string;
  isSeal?: boolean;
}

/** Verifies the chain: all of it, or what follows a remembered head, which must be part of it. */
export const verifyLog = (db: Database, since?: Head): Proof => snapshot(db, () => verify(db, since));

function verify(db: Database, since: Head | undefined): Proof {
  const sealed = currentSeal(db);
  const walk = new Walk(db, since ?? { id: sealed.purgedId, hash: sealed.purgedHash }, sealed.afterId);
  if (since && !isInLog(db, since))
    walk.note(since.id, "changed", `event ${since.id} does not have the hash ${since.hash}, or is gone`);
  else walk.toEnd();
  const { unproved, digest } = walk.digest.end();
  if (!since && sealed.afterId > 0 && digest !== sealed.digest) {
    const problem =
      unproved < sealed.unproved ? "removed" : unproved > sealed.unproved ? "inserted" : "changed";
    walk.note(
      sealed.afterId,
      problem,
      `of the ${sealed.unproved} events without a hash of their own, some were ${problem}`,
    );
  }
  const { proved, problems, findings } = walk;
  const gaps = seals(db)
    .all({})
    .map(({ content }) => JSON.parse(content) as Seal);
  return { ok: problems === 0, proved, unproved, gaps, head: headOf(db), problems, findings };
}

const eventWith = query<Head>(`SELECT 1 FROM events WHERE id = :id AND hash = unhex(:hash)`);

/** Whether an event has this hash, or a seal after it, or the last one that was deleted. */
function isInLog(db: Database, { id, hash }: Head) {
  const { purgedId, purgedHash } = currentSeal(db);
  const isLink = (link: Head) => link.id === id && link.hash === hash;
  return (
    eventWith(db).get({ id, hash }) ||
    isLink({ id: purgedId, hash: purgedHash }) ||
    sealLinks(db).some(isLink)
  );
}

const sealLinks = (db: Database): Link[] =>
  seals(db)
    .all({})
    .map((seal) => ({ ...seal, id: (JSON.parse(seal.content) as Seal).afterId, isSeal: true }));

const eventsAfter = query<{ id: number }, [id: number, content: string, hash: string]>(`
  SELECT id, ${CONTENT}, lower(hex(hash)) FROM events WHERE id > :id ORDER BY id`);

/** In the order of the chain. */
function* linksAfter(db: Database, { id: startId, hash: startHash }: Head): Generator<Link> {
  const all = sealLinks(db);
  const others = all.slice(all.findIndex(({ hash }) => hash === startHash) + 1);
  const left = others.filter(({ id }) => id >= startId);
  for (const [id, content, hash] of eventsAfter(db).raw().iterate({ id: startId })) {
    while (left.length > 0 && left[0]!.id < id) yield left.shift()!;
    yield { id, content, hash };
  }
  yield* left;
}

const hashOfEvent = valueQuery<{ id: number }, string>(`SELECT lower(hex(hash)) FROM events WHERE id = :id`);

/** What a link may follow after one that doesn't fit: its own hash, what that should be, or the hash before it. */
const [OWN, DUE, BEFORE] = [0, 1, 2];

/** Follows the chain. After a link that doesn't fit, the next ones show what has happened to it. */
class Walk {
  readonly digest = digestOfUnproved();
  readonly findings: Finding[] = [];
  problems = 0;
  proved = 0;
  /** The hashes that the next link may follow. */
  #hashes: string[];

  readonly #db: Database;
  readonly #start: Head;
  /** Up to which event there may be some without a hash. */
  readonly #sealedId: number;
  /** Whether nothing has been recorded since the upgrade. */
  readonly #isUnchained: boolean;

  constructor(db: Database, start: Head, sealedId: number) {
    this.#db = db;
    this.#start = start;
    this.#sealedId = sealedId;
    this.#isUnchained = headOf(db).hash === "";
    this.#hashes = [start.hash];
  }

  note(event: number, problem: Finding["problem"], message = `event ${event} was ${problem}`) {
    if (this.problems++ < MAX_LISTED) this.findings.push({ event, problem, message });
  }

  /** Ids are never reused, so that a missing last event shows. */
  toEnd() {
    let { id } = this.#start;
    for (const link of linksAfter(this.#db, this.#start)) {
      if (link.hash === "" && this.#mayBeUnproved(link)) this.digest.add(link.content);
      else this.#follow(link, id);
      id = link.id;
    }
    this.#noteRemoved(id + 1, lastId(this.#db));
  }

  /** Nothing has a hash before the first change after an upgrade. */
  #mayBeUnproved({ id }: Link) {
    return id <= this.#sealedId || (this.#sealedId === 0 && this.proved === 0 && this.#isUnchained);
  }

  #follow(link: Link, previousId: number) {
    const fit = this.#hashes.findIndex((hash) => hashOf(hash, link.content) === link.hash);
    if (fit >= 0) {
      if (!link.isSeal) this.proved++;
      if (fit !== OWN) this.#explain(fit);
      this.#hashes = [link.hash];
    } else this.#misfit(link, previousId);
  }

  /** The last link that didn't fit was inserted if the chain goes on before it, and changed if it goes on as if it did. */
  #explain(fit: number) {
    const last = this.findings.at(-1);
    if (!last || last.problem === "swapped" || this.problems > MAX_LISTED) return;
    if (fit === BEFORE) last.problem = "inserted";
    if (fit === DUE && last.problem === "inserted") last.problem = "changed";
    if (fit === BEFORE || fit === DUE) last.message = `event ${last.event} was ${last.problem}`;
  }

  #misfit({ id, content, hash, isSeal }: Link, previousId: number) {
    const storedId = isSeal ? id : Number(/\]\{"id":(\d+)/.exec(content)?.[1] ?? id);
    if (isSeal) this.note(id, "changed", `the seal after event ${id} was changed`);
    else if (storedId !== id)
      this.note(id, "swapped", `event ${storedId} stands in the place of event ${id}`);
    else if (hash === "") this.note(id, "inserted");
    else if (id > previousId + 1) this.#noteRemoved(previousId + 1, id - 1);
    else this.note(id, "changed");
    const due = hashOf(this.#hashes[OWN]!, content);
    const elsewhere = hashOfEvent(this.#db).get({ id: storedId });
    this.#hashes = [hash, due, this.#hashes[OWN]!, elsewhere ?? hash];
  }

  #noteRemoved(first: number, last: number) {
    if (first < last) this.note(first, "removed", `events ${first} to ${last} were removed`);
    else if (first === last) this.note(first, "removed");
  }
}
