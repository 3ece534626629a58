import { useState } from "preact/hooks";
import { counted } from "../../format.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { change } from "../../reads.ts";
import { may } from "../../session.ts";

interface BulkBarProps {
  project: string;
  environments: readonly string[];
  names: readonly string[];
  onDone(): void;
}

/** Bulk actions on the selected flags: if one flag is refused, none is changed. */
export function BulkBar({ project, environments, names, onDone }: BulkBarProps) {
  const [isArchiving, setArchiving] = useState(false);
  const params = { projectId: project };
  const features = [...names];
  const markStale = (stale: boolean) =>
    change("POST /api/admin/projects/:projectId/stale", { params, body: { features, stale } }).then(onDone);
  const archive = () =>
    change("POST /api/admin/projects/:projectId/archive", { params, body: { features } }).then(onDone);
  return (
    <section class="bulk" aria-label="Selected flags">
      <strong>{counted(names.length, "flag")} selected</strong>
      <TurnOnOff project={project} environments={environments} features={features} onDone={onDone} />
      {may("UPDATE_FEATURE", { project }) && (
        <>
          <Button onClick={() => markStale(true)}>Mark as stale</Button>
          <Button onClick={() => markStale(false)}>Mark as not stale</Button>
        </>
      )}
      {may("DELETE_FEATURE", { project }) && (
        <Button icon="archive" kind="danger" onClick={() => setArchiving(true)}>
          Archive
        </Button>
      )}
      <Button onClick={onDone}>Clear selection</Button>
      {isArchiving && (
        <Confirm
          title={`Archive ${counted(names.length, "flag")}?`}
          action="Archive"
          onConfirm={archive}
          onClose={() => setArchiving(false)}
        >
          Applications that use them will fall back to their defaults. You can revive them from the archive.{" "}
          {names.join(", ")}
        </Confirm>
      )}
    </section>
  );
}

interface TurnOnOffProps extends Omit<BulkBarProps, "names"> {
  features: string[];
}

function TurnOnOff({ project, environments, features, onDone }: TurnOnOffProps) {
  const allowed = environments.filter((environment) =>
    may("UPDATE_FEATURE_ENVIRONMENT", { project, environment }),
  );
  const [environment = "", setEnvironment] = useState(allowed[0]);
  if (allowed.length === 0) return null;
  const turn = (to: "on" | "off") =>
    change(`POST /api/admin/projects/:projectId/bulk_features/environments/:environment/${to}`, {
      params: { projectId: project, environment },
      body: { features },
    }).then(onDone);
  return (
    <>
      <select
        aria-label="Environment"
        value={environment}
        onChange={(event) => setEnvironment(event.currentTarget.value)}
      >
        {allowed.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      <Button onClick={() => turn("on")}>Turn on</Button>
      <Button onClick={() => turn("off")}>Turn off</Button>
    </>
  );
}
