import type { ComponentType } from "preact";
import { useParams } from "wouter-preact";
import { flagPath, pathTo, useDialog } from "../../address.ts";
import { type Output, request } from "../../api.ts";
import { confirmed } from "../../confirm.ts";
import { listed } from "../../format.ts";
import { Closing } from "../../parts/dialog.tsx";
import { AsOf } from "../../parts/past.tsx";
import { Drafts, Planned } from "../../parts/requests.tsx";
import { UndoSince } from "../../parts/undo.tsx";
import { Answer, Badge, DeadEnd, Failure, Heading, Tabs } from "../../parts/words.tsx";
import { change, useRead } from "../../reads.ts";
import { useVisit } from "../../recent.ts";
import { isolated, strategyInWords } from "../../sentence.ts";
import { Favorite, PROJECT } from "../project/frame.tsx";

export const FEATURE = `${PROJECT}/features/:featureName` as const;

export type Flag = Output<`GET ${typeof FEATURE}`>;

/** A flag's parameters in the API's paths. */
export const paramsOf = ({ project, name }: Pick<Flag, "project" | "name">) => ({
  projectId: project,
  featureName: name,
});

export interface FlagProps {
  flag: Flag;
}

/** A view of a flag: what it shows below the flag's name and tabs. */
export const inFlag = (Shown: ComponentType<FlagProps>) => () => {
  const { projectId = "", featureName = "" } = useParams();
  const read = useRead(`GET ${FEATURE}`, {
    params: { projectId, featureName },
    query: { variantEnvironments: true },
  });
  useVisit(flagPath(projectId, featureName), read.data && featureName);
  const undoing = useDialog("since");
  const project = useRead(`GET ${PROJECT}/overview`, { params: { projectId } });
  const failure = (error: Error) => (
    <DeadEnd title={featureName} links={linksFrom(projectId, featureName)}>
      <Failure error={error} />
    </DeadEnd>
  );
  return (
    <Answer key={`${projectId}/${featureName}`} read={read} failure={failure}>
      {(flag) => (
        <>
          <Heading
            trail={[
              ["/projects", "Projects"],
              [pathTo("projects", flag.project), project.data?.name ?? flag.project],
            ]}
            title={<Title flag={flag} />}
            beside={<Favorite project={flag.project} flag={flag.name} isFavorite={flag.favorite} />}
          >
            <AsOf />
          </Heading>
          <Tabs label={`Flag ${flag.name}`} tabs={tabsOf(flag)} />
          <Drafts project={flag.project} />
          <Planned project={flag.project} feature={flag.name} />
          <Shown flag={flag} />
          {undoing.of && (
            <Closing.Provider value={undoing.close}>
              <UndoSince project={flag.project} feature={flag.name} since={undoing.of} />
            </Closing.Provider>
          )}
        </>
      )}
    </Answer>
  );
};

/** Where to go from a flag that is archived, deleted or hidden: an archived one can be revived in the archive. */
const linksFrom = (project: string, feature: string) =>
  [
    [pathTo("projects", project, "archive"), "Archived flags of the project"],
    [`/events?feature=${encodeURIComponent(feature)}`, "Events of this flag"],
    [pathTo("projects", project), "Flags of the project"],
    ["/projects", "All projects"],
  ] as const;

const tabsOf = ({ project, name }: Flag) =>
  [
    [flagPath(project, name), "Flag"],
    [flagPath(project, name, "use"), "Usage"],
    [flagPath(project, name, "log"), "Log"],
    [flagPath(project, name, "settings"), "Settings"],
  ] as const;

const Title = ({ flag: { name, type, stale, lifecycle } }: FlagProps) => (
  <>
    <bdi>{name}</bdi> <Badge>{type}</Badge> {stale && <Badge tone="bad">stale</Badge>}{" "}
    {lifecycle && <Badge>{lifecycle.stage}</Badge>}
  </>
);

/** A flag in one of its environments. */
export interface FlagPlace {
  project: string;
  feature: string;
  environment: string;
}

export const PLACE = `${FEATURE}/environments/:environment` as const;

/** Its parameters in the API's paths. */
export const paramsAt = ({ project, feature, environment }: FlagPlace) => ({
  projectId: project,
  featureName: feature,
  environment,
});

/** Turns a flag on or off, where the environment asks only once the user has agreed. */
export async function switchFlag(place: FlagPlace, isOn: boolean) {
  await confirmed(place, () => switchInWords(place, isOn));
  await change(`POST ${PLACE}/${isOn ? "on" : "off"}`, { params: paramsAt(place) });
}

async function switchInWords(place: FlagPlace, isOn: boolean) {
  const where = `in ${isolated(place.environment)}`;
  if (!isOn) return `${isolated(place.feature)} will be off ${where}.`;
  const strategies = await request(`GET ${PLACE}/strategies`, { params: paramsAt(place) });
  const words = await Promise.all(strategies.filter(({ disabled }) => !disabled).map(whoGetsIt));
  const who = words.length === 0 ? ", with the project's default strategy" : ` for ${listed(words, "or")}`;
  return `${isolated(place.feature)} will be on ${where}${who}.`;
}

/** What a new or changed strategy means for a flag. */
export const strategyQuestion = async ({ feature, environment }: FlagPlace, strategy: StrategyInPlace) =>
  `${isolated(feature)} will have a strategy in ${isolated(environment)} for ${await whoGetsIt(strategy)}.`;

type StrategyInPlace = Parameters<typeof strategyInWords>[0] & { segments?: readonly number[] };

/** "25% of users, in the segment beta". */
async function whoGetsIt(strategy: StrategyInPlace) {
  const { segments } = await request("GET /api/admin/segments");
  return inWords(strategy, segments).replace(/^[A-Z]/, (letter) => letter.toLowerCase());
}

/** Says strategies with the names of their segments. */
export function useStrategyWords() {
  const segments = useRead("GET /api/admin/segments").data?.segments ?? [];
  return (strategy: StrategyInPlace) => inWords(strategy, segments);
}

const inWords = (strategy: StrategyInPlace, segments: ReadonlyArray<{ id: number; name: string }>) =>
  strategyInWords(
    strategy,
    (strategy.segments ?? []).map((id) => segments.find((one) => one.id === id)?.name ?? String(id)),
  );
