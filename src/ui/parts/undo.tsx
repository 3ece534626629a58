import { count } from "../format.ts";
import { useRead } from "../reads.ts";
import { logAt, takeBack, UNDO } from "../undo.ts";
import { Button } from "./controls.tsx";
import { NameLink, Summary } from "./words.tsx";

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
      <ul aria-label="What undoing it records">
        {changes.map(({ summary, type }, index) => (
          <li key={index}>
            <Summary text={summary ?? type} />
          </li>
        ))}
      </ul>
    </div>
  );
}
