import { useEffect, useRef, useState } from "preact/hooks";
import { Link } from "wouter-preact";
import type { Outcome } from "../../unleash/import-routes.ts";
import { BASE } from "../address.ts";
import { holdRequests } from "../api.ts";
import type { Follow, Progress } from "../follow.ts";
import { count, counted } from "../format.ts";
import { Button } from "../parts/controls.tsx";
import { check, choice, text } from "../parts/fields.tsx";
import { file } from "../parts/file.tsx";
import { Form, useForm } from "../parts/form.tsx";
import { TableSection } from "../parts/table.tsx";
import { Failure, Heading } from "../parts/words.tsx";
import { change } from "../reads.ts";
import { isAdmin } from "../session.ts";

/** Imports a file, or what another server has. A check shows first what would come, and what is wrong with it. */
export const Import = () => (
  <>
    <Heading title="Import" />
    {isAdmin() ? <Importing /> : <Failure error={new Error("Only administrators can import.")} />}
  </>
);

const EMPTY = {
  from: "file",
  file: undefined as File | undefined,
  url: "",
  token: "",
  withEvents: true,
  replace: false,
};

/** What to import, and how. */
type Chosen = typeof EMPTY;

/** What a check has found, or an import has stored. */
interface Answered {
  chosen: Chosen;
  outcome: Outcome;
}

function Importing() {
  const [found, setFound] = useState<Answered>();
  const [imported, setImported] = useState<Answered>();
  const { progress, followed, cancel } = useProgress();
  const checking = useForm(EMPTY, async (chosen) => {
    setFound(undefined);
    setFound({ chosen, outcome: await followed((follow) => send(chosen, true, follow)) });
  });
  const importing = useForm({}, async () => {
    const { chosen } = found!;
    const outcome = await followed((follow) => send(chosen, false, follow));
    const isStored = outcome.problems.count === 0;
    if (isStored && chosen.replace) holdRequests(); // the session has ended
    (isStored ? setImported : setFound)({ chosen, outcome });
  });
  if (imported) return <Imported {...imported} />;
  const { values } = checking;
  const isBusy = checking.isBusy || importing.isBusy;
  const outcome = found?.chosen === values ? found.outcome : undefined;
  const fields = {
    from: FROM,
    ...(values.from === "file" ? { file: FILE } : SERVER),
    replace: (values.replace || isInTheWay(found?.outcome)) && REPLACE,
  };
  return (
    <>
      <section>
        <Form
          form={{ ...checking, isBusy, isTyped: checking.isTyped || isBusy }}
          fields={fields}
          submit="Check"
        />
      </section>
      <p role="status" class={progress && "unseen"}>
        {progress ? inTenths(progress) : outcome && summaryOf(outcome)}
      </p>
      {progress && <ProgressBar progress={progress} onCancel={cancel} />}
      {outcome && <Details outcome={outcome} />}
      {outcome?.problems.count === 0 && (
        <Form
          form={{ ...importing, isBusy }}
          submit={values.replace ? "Replace everything" : "Import"}
          kind={values.replace ? "danger" : "main"}
        />
      )}
    </>
  );
}

const FROM = choice("From", [
  ["file", "a file"],
  ["server", "another server"],
]);

const FILE = file("File", {
  hint: "A dataset, or what pg_dump wrote of an Unleash's database. Choose it, or drop it here.",
});

const SERVER = {
  url: text("Address", { hint: "Of an Unleash, or of another Flagstone.", required: true }),
  token: text("Token", {
    hint: "Of an administrator there. It is used for this, and kept nowhere.",
    type: "password",
    required: true,
  }),
  withEvents: check("With its event log"),
};

const REPLACE = check("Replace everything here", {
  hint: (
    <>
      Everything that is here now is deleted, people and tokens included, and all have to sign in again, you
      too. Take a backup first: <code>flagstone backup FILE</code>
    </>
  ),
});

/** Whether it could be imported by replacing what is here. */
const isInTheWay = (outcome: Outcome | undefined) =>
  outcome?.problems.first.some(({ message }) => message.includes("already exists")) ?? false;

/** @throws RequestError @throws Error saying that it was cancelled */
async function send(chosen: Chosen, dryRun: boolean, follow: Follow): Promise<Outcome> {
  const { from, file, url, token, withEvents, replace } = chosen;
  const query = { dryRun, replace };
  const lastLine: unknown = await (from === "file"
    ? change("POST /api/admin/import", { query, body: file!, follow })
    : change("POST /api/admin/import/server", { query, body: { url, token, withEvents }, follow }));
  return lastLine as Outcome;
}

/** How far a request is that takes long, and what stops it; leaving the view does, too. */
function useProgress() {
  const [progress, setProgress] = useState<Progress>();
  const controller = useRef<AbortController>();
  const cancel = () =>
    controller.current?.abort(new Error("Cancelled: nothing was imported, unless it had just finished."));
  useEffect(() => cancel, []);
  const followed = async <T,>(send: (follow: Follow) => Promise<T>): Promise<T> => {
    controller.current = new AbortController();
    setProgress({ noun: "lines read", done: 0 });
    try {
      return await send({ signal: controller.current.signal, onProgress: setProgress });
    } finally {
      setProgress(undefined);
    }
  };
  return { progress, cancel, followed };
}

interface ProgressBarProps {
  progress: Progress;
  onCancel(): void;
}

const ProgressBar = ({ progress: { noun, done, total }, onCancel }: ProgressBarProps) => (
  <p class="actions">
    {total !== undefined && <progress aria-label={noun} value={done} max={total} />}
    {noun}: {count(done)}
    {total !== undefined && ` of ${count(total)}`}
    <Button onClick={onCancel}>Cancel</Button>
  </p>
);

/** Read out, so it changes rarely. */
const inTenths = ({ noun, done, total }: Progress) =>
  total ? `${noun}: ${10 * Math.floor((10 * done) / total)}%` : `${noun}…`;

const totalOf = ({ counts }: Outcome) => Object.values(counts).reduce((sum, one) => sum + one, 0);

const summaryOf = (outcome: Outcome) =>
  outcome.problems.count > 0
    ? `${counted(outcome.problems.count, "problem")}: nothing can be imported.`
    : `No problems: ${counted(totalOf(outcome), "thing")} would be imported.`;

const Imported = ({ chosen: { replace }, outcome }: Answered) => (
  <>
    <section>
      <h2 ref={focus} tabIndex={-1}>
        Imported {counted(totalOf(outcome), "thing")}
      </h2>
      {replace ? <SignInAgain /> : <Link href="/projects">All projects</Link>}
    </section>
    <Details outcome={outcome} />
  </>
);

/** The session has ended, along with all others: everything is loaded anew. */
const SignInAgain = () => (
  <>
    <p>
      Sign in with a password that came along. Without one, whoever runs the server can create a link:{" "}
      <code>flagstone user link NAME</code>
    </p>
    <a class="button main" href={`${BASE}/`}>
      Sign in
    </a>
  </>
);

const focus = (element: HTMLElement | null) => element?.focus();

/** What comes, what doesn't, and what is wrong. */
const Details = ({ outcome: { counts, leftOut, problems, warnings } }: { outcome: Outcome }) => (
  <>
    <Notes title="Problems" notes={problems} />
    <TableSection
      title="What comes"
      rows={Object.entries(counts)}
      keyOf={([kind]) => kind}
      columns={[
        ["Kind", ([kind]) => inWords(kind), "main"],
        ["Number", ([, number]) => count(number), "number"],
      ]}
    />
    <TableSection
      title="What stays behind"
      rows={leftOut.map((left) => ("table" in left ? { what: left.table, count: left.rows, ...left } : left))}
      keyOf={({ what, reason }) => `${what} ${reason}`}
      columns={[
        ["What", ({ what }) => what, "main"],
        ["Number", (left) => left.count !== undefined && count(left.count), "number"],
        ["Why", ({ reason }) => reason, "main"],
      ]}
    />
    <Notes title="What the API would reject" notes={warnings} />
  </>
);

/** A kind of line in words: "context field". */
const inWords = (kind: string) => kind.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

const Notes = ({ title, notes: { count: total, first } }: { title: string; notes: Outcome["problems"] }) => (
  <TableSection
    title={total > first.length ? `${title}: the first ${first.length} of ${count(total)}` : title}
    rows={first}
    keyOf={(note) => first.indexOf(note)}
    columns={[
      ["Place", placeOf, "main"],
      ["Problem", ({ message }) => <bdi>{message}</bdi>, "main"],
    ]}
  />
);

/** Empty for what concerns all of it. */
function placeOf(place: Outcome["problems"]["first"][number]) {
  if ("line" in place) return `line ${count(place.line)}`;
  if ("table" in place) return `table ${place.table}, row ${count(place.row)}`;
  return "answer" in place ? place.answer : "";
}
