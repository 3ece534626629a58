import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { BASE, pathTo } from "../address.ts";
import { count, counted, listed } from "../format.ts";
import { refreshEvery } from "../live.ts";
import { Icon } from "../parts/icon.tsx";
import { useRead } from "../reads.ts";
import type { FlagPlace } from "./flag/switch-flag.ts";

/** How often the server is asked: no event reports usage. */
const INTERVAL_MS = 2000;

interface ConnectedProps {
  place: FlagPlace;
  /** When the application's token was created, RFC 3339. */
  since: string;
}

/** Waits for an application: shows that it has started, then how often it evaluates the flag. */
export const Connected = (props: ConnectedProps) => (
  <p role="status">
    <Progress {...props} />
  </p>
);

function Progress({ place, since }: ConnectedProps) {
  useEffect(() => refreshEvery(INTERVAL_MS), []);
  const started = useStarted(place, since);
  const usage = useUsage(place);
  if (usage)
    return (
      <Success place={place}>
        the flag was evaluated {counted(usage.yes + usage.no, "time")} in <bdi>{place.environment}</bdi> this
        hour, {count(usage.yes)} on and {count(usage.no)} off.
      </Success>
    );
  if (started.length > 0)
    return (
      <Success place={place}>
        <bdi>{listed(started)}</bdi> has started. SDKs report usage once a minute.
      </Success>
    );
  return (
    <>
      Waiting for your application… <small>(curl and OpenFeature evaluate flags without reporting it.)</small>
    </>
  );
}

/** Its link opens another window, since this one shows a secret. */
const Success = ({ place, children }: { place: FlagPlace; children: ComponentChildren }) => (
  <>
    <Icon name="check" /> <strong>Connected</strong>: {children}{" "}
    <a
      href={BASE + pathTo("projects", place.project, "features", place.feature, "use")}
      target="_blank"
      rel="noopener"
    >
      Usage (in a new tab)
    </a>
  </>
);

/** The applications that have started with a token for the project and the environment since a time. */
function useStarted({ project, environment }: FlagPlace, since: string): string[] {
  const { data } = useRead("GET /api/admin/metrics/applications");
  return (data?.applications ?? [])
    .filter(({ updatedAt }) => updatedAt > since)
    .filter(({ usage }) =>
      usage.some((place) => place.project === project && place.environments.includes(environment)),
    )
    .map(({ appName }) => appName);
}

/** How often the flag was evaluated this hour; undefined until that has changed. */
function useUsage({ feature, environment }: FlagPlace): { yes: number; no: number } | undefined {
  const { data } = useRead("GET /api/admin/client-metrics/features/:name", { params: { name: feature } });
  const { yes = 0, no = 0 } = data?.lastHourUsage.find((hour) => hour.environment === environment) ?? {};
  const initial = useRef<number | undefined>();
  if (data) initial.current ??= yes + no;
  return yes + no > 0 && yes + no !== initial.current ? { yes, no } : undefined;
}
