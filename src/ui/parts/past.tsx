import { useRoute } from "wouter-preact";
import { addressWith, asOf } from "../address.ts";
import { shownTime } from "../api.ts";
import { fullTime, inDays, toLocal } from "../format.ts";
import { FormDialog, Opener } from "./dialog.tsx";
import { localTime } from "./fields.tsx";
import { Icon, NameLink } from "./words.tsx";

/** Shows the view as it was at a time. */
export const AsOf = () => (
  <Opener label="As of…" icon="log" parameter="past">
    <FormDialog
      title="What was"
      initial={{ at: shownTime.value ? toLocal(new Date(shownTime.value)) : inDays(-1) }}
      fields={() => ({ at: localTime("As of") })}
      submit="Show"
      send={async ({ at }) => new Date(at).toISOString()}
      leadsTo={(at) => addressWith({ past: undefined, at })}
    />
  </Opener>
);

/** Above every view of the past: which time it shows, and the way back. */
export function PastNotice() {
  const at = shownTime.value;
  return (
    <p class="notice sticky" role="status">
      <Icon name="log" />
      <span>
        This is {at === undefined ? "what was" : <strong>as of {fullTime(at)}</strong>}: nothing can be
        changed. {asOf.value !== "" && <WaysBack at={at} />}
      </span>
    </p>
  );
}

function WaysBack({ at = "" }: { at: string | undefined }) {
  const [, inProject] = useRoute<{ projectId: string }>("/projects/:projectId/*?");
  const [, inFlag] = useRoute<{ featureName: string }>("/projects/:projectId/features/:featureName/*?");
  const since = new URLSearchParams({
    project: inProject?.projectId ?? "",
    feature: inFlag?.featureName ?? "",
    from: at.slice(0, "2026-01-01".length),
    at: "",
  });
  return (
    <>
      <NameLink to={`/events?${since}`}>What has changed since</NameLink> ·{" "}
      {inFlag && (
        <>
          <NameLink to={addressWith({ at: "", since: asOf.value })}>Undo that</NameLink> ·{" "}
        </>
      )}
      <NameLink to={addressWith({ at: "" })}>Back to now</NameLink>
    </>
  );
}
