import { count } from "../format.ts";
import { change, useRead } from "../reads.ts";
import { logAt, takeBack, UNDO, type Undo } from "../undo.ts";
import { Button } from "./controls.tsx";
import { Confirm } from "./dialog.tsx";
import { Answer, NameLink, Summary } from "./words.tsx";

/** Undoes an event of the log: shows what that would record, or why it is not possible. */
export function UndoAction({ id, feature }: { id: number; feature: string | null }) {
  const undo = useRead(`GET ${UNDO}`, { params: { id } }).data;
  if (!undo) return null;
  const { refusal, changes, total } = undo;
  if (refusal)
    return (
      <p class="muted">
        {refusal.message}
        {refusal.event && (
          <>
            {" "}
            · <NameLink to={logAt(refusal.event, feature)}>event {refusal.event}</NameLink>
          </>
        )}
      </p>
    );
  return (
    <div class="undo">
      <Button onClick={() => takeBack(id, undo)}>{total > 1 ? `Undo all ${count(total)}` : "Undo"}</Button>
      <Changes of={changes} />
    </div>
  );
}

const Changes = ({ of }: { of: Undo["changes"] }) => (
  <ul aria-label="What undoing it records">
    {of.map(({ summary, type }, index) => (
      <li key={index}>
        <Summary text={summary ?? type} />
      </li>
    ))}
  </ul>
);

type UndoSinceProps = {
  project: string;
  feature: string;
  /** A time, or the id of an event. */
  since: string;
};

/** Asks before a flag becomes what it was. */
export function UndoSince(what: UndoSinceProps) {
  const read = useRead("GET /api/admin/undo-since", { query: what });
  return (
    <Confirm
      title="Back to what it was?"
      action="Undo what came after"
      onConfirm={() => change("POST /api/admin/undo-since", { body: what })}
    >
      <Answer read={read}>
        {({ changes, refusal }) =>
          changes.length > 0 ? <Changes of={changes} /> : <p>{refusal?.message ?? "It is as it was then."}</p>
        }
      </Answer>
    </Confirm>
  );
}
