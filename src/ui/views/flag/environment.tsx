import { useDialog } from "../../address.ts";
import { confirmed } from "../../confirm.ts";
import { count, listed } from "../../format.ts";
import { tell } from "../../messages.ts";
import { Sparkline } from "../../parts/chart.tsx";
import { Button, IconButton, Switch } from "../../parts/controls.tsx";
import { Closing, Dialog, Opener, RemoveButton, useClose } from "../../parts/dialog.tsx";
import { Editor } from "../../parts/edit.tsx";
import { type Variant, variants as variantsControl, WeightsBar } from "../../parts/rows.tsx";
import { planSwitch, ScheduleDialog } from "../../parts/schedule.tsx";
import { Badge, Name, Nothing, Time } from "../../parts/words.tsx";
import { change, useRead } from "../../reads.ts";
import { isolated } from "../../sentence.ts";
import { may } from "../../session.ts";
import { hourlyBars, hoursBefore, SERIES } from "../../use.ts";
import {
  FEATURE,
  type Flag,
  type FlagPlace,
  PLACE,
  paramsAt,
  strategyQuestion,
  switchFlag,
  useStrategyWords,
} from "./frame.tsx";
import { STRATEGIES, StrategyEditor } from "./strategy.tsx";

type Environment = Flag["environments"][number];
type Strategy = Environment["strategies"][number];

/** A flag in one environment: whether it is on, and for whom. */
export function EnvironmentCard({ flag, environment }: { flag: Flag; environment: Environment }) {
  const { name, enabled, strategies, yes, no, lastSeenAt, variants = [] } = environment;
  const place = { project: flag.project, feature: flag.name, environment: name };
  const editing = useDialog("edit");
  const edited = strategyIn(name, editing.of);
  return (
    <section class="environment" aria-label={`Environment ${name}`}>
      <header>
        <h2>
          <bdi>{name}</bdi> {enabled ? <Badge tone="good">on</Badge> : <Badge>off</Badge>}
        </h2>
        <Switch
          isOn={enabled}
          label={`${flag.name} in ${name}`}
          disabled={!may("UPDATE_FEATURE_ENVIRONMENT", place)}
          onChange={(isOn) => switchFlag(place, isOn)}
        />
      </header>
      <p class="muted use">
        <span>
          {lastSeenAt ? "Last seen " : "Never seen"} {lastSeenAt && <Time at={lastSeenAt} />}
          {yes + no > 0 && `; this hour: ${count(yes)} on, ${count(no)} off`}
        </span>
        <LastDay flag={flag.name} environment={name} />
      </p>
      {strategies.length === 0 && (
        <Nothing>
          {enabled
            ? "No strategies: the flag is on for everyone."
            : "No strategies yet: turning the flag on adds the project's default strategy."}
        </Nothing>
      )}
      <ol class="strategies">
        {strategies.map((strategy, index) => (
          <StrategyItem
            key={strategy.id}
            strategy={strategy}
            place={place}
            above={strategies[index - 1]}
            environments={flag.environments.map((one) => one.name)}
            isLastOn={enabled && strategies.every((one) => one === strategy || one.disabled)}
            onEdit={() => editing.open(`${name}/${strategy.id}`)}
          />
        ))}
      </ol>
      {variants.length > 0 && <WeightsBar variants={variants} />}
      <footer>
        <Opener
          isAllowed={may("CREATE_FEATURE_STRATEGY", place)}
          label="Add a strategy"
          icon="add"
          parameter="new"
          of={name}
        >
          <StrategyEditor place={place} />
        </Opener>
        <Opener
          isAllowed={may("UPDATE_FEATURE_ENVIRONMENT_VARIANTS", place)}
          label="Variants"
          parameter="variants"
          of={name}
        >
          <Variants place={place} />
        </Opener>
        <Opener
          isAllowed={may("UPDATE_FEATURE_ENVIRONMENT", place)}
          label={enabled ? "Turn off later" : "Turn on later"}
          parameter="plan"
          of={name}
        >
          <ScheduleDialog send={(at) => planSwitch(place, !enabled, at)} />
        </Opener>
      </footer>
      {edited && (
        <Closing.Provider value={editing.close}>
          <StrategyEditor place={place} id={edited} />
        </Closing.Provider>
      )}
    </section>
  );
}

const DAY_HOURS = 24;

/** The use of the last day, which takes its room also if there is none. */
function LastDay({ flag, environment }: { flag: string; environment: string }) {
  const { data } = useRead("GET /api/admin/client-metrics/features/:name/raw", {
    params: { name: flag },
    query: { hoursBack: DAY_HOURS + 1 },
  });
  const hours = data?.data ?? [];
  const own = hours.filter((hour) => hour.environment === environment);
  const bars = hourlyBars(own, hoursBefore(hours, DAY_HOURS));
  return (
    <Sparkline
      title={`Use in the last ${DAY_HOURS} hours`}
      series={SERIES}
      bars={own.length > 0 ? bars : []}
    />
  );
}

/** The strategy being edited, if it is in the environment: it is named as `ENVIRONMENT/ID`, since it may be deleted. */
const strategyIn = (environment: string, edited = "") =>
  edited.startsWith(`${environment}/`) ? edited.slice(environment.length + 1) : undefined;

interface StrategyItemProps {
  strategy: Strategy;
  place: FlagPlace;
  /** The strategy before it, with which it can be swapped. */
  above: Strategy | undefined;
  environments: readonly string[];
  /** Without it, no enabled strategy would be left where the flag is on: the server turns the flag off. */
  isLastOn: boolean;
  onEdit(): void;
}

/** A strategy as a sentence and a bar, with its actions. */
function StrategyItem({ strategy, place, above, environments, isLastOn, onEdit }: StrategyItemProps) {
  const words = useStrategyWords()(strategy);
  const { id, title, disabled, parameters, variants } = strategy;
  const params = { ...paramsAt(place), strategyId: id };
  return (
    <li class={disabled ? "strategy disabled" : "strategy"}>
      {title !== "" && <Name>{title}</Name>}
      <p>
        {words} {disabled && <Badge>disabled</Badge>}
      </p>
      {parameters.rollout !== undefined && (
        <div class="bar" aria-hidden="true">
          <span style={{ width: `${Number(parameters.rollout)}%` }} />
        </div>
      )}
      {variants.length > 0 && <WeightsBar variants={variants} />}
      <Blame id={id} place={place} />
      <div class="tools">
        {may("UPDATE_FEATURE_STRATEGY", place) && (
          <>
            <IconButton icon="edit" label={`Edit: ${words}`} onClick={onEdit} />
            {above && (
              <IconButton
                icon="up"
                label={`Move up: ${words}`}
                onClick={() => swap(place, strategy, above)}
              />
            )}
          </>
        )}
        {environments.length > 1 && (
          <Opener icon="copy" isBare label={`Copy to another environment: ${words}`} parameter="copy" of={id}>
            <CopyStrategy strategy={strategy} place={place} environments={environments} />
          </Opener>
        )}
        {may("DELETE_FEATURE_STRATEGY", place) && (
          <RemoveButton
            label={`Remove: ${words}`}
            of={id}
            title="Remove the strategy?"
            action="Remove"
            onConfirm={() => change(`DELETE ${STRATEGIES}/:strategyId`, { params })}
          >
            In {place.environment}, the flag will no longer be on for: {words}.
            {isLastOn && ` No other strategy is enabled there, so the flag will be turned off.`}
          </RemoveButton>
        )}
      </div>
    </li>
  );
}

/** Who last changed a strategy, and who its constraints, if that was before. */
function Blame({ id, place }: { id: string; place: FlagPlace }) {
  const { project: projectId, feature: featureName, environment } = place;
  const query = { limit: 1 };
  const { data } = useRead(`GET ${FEATURE}/history`, { params: { projectId, featureName }, query });
  const own = `environments.${environment}.strategies.${id}`;
  const [whole, ...parts] = (data?.blame ?? []).filter(
    ({ path }) => path === own || path.startsWith(`${own}.`),
  );
  const told = whole && [whole, ...parts.filter((part) => part.id !== whole.id)];
  return (
    <p class="muted">
      {told?.map(({ path, createdBy, createdAt }) => (
        <span key={path} class="line">
          {path === own ? "Last changed" : `Constraint ${Number(path.split(".").at(-1)) + 1}`} by{" "}
          <bdi>{createdBy}</bdi> <Time at={createdAt} />
        </span>
      ))}
    </p>
  );
}

/** Swaps two strategies; those that were never sorted have the same sort order. */
async function swap(place: FlagPlace, lower: Strategy, upper: Strategy) {
  const at = `${isolated(place.feature)} in ${isolated(place.environment)}`;
  await confirmed(place, () => `The strategies of ${at} will have another order.`);
  await change(`POST ${STRATEGIES}/set-sort-order`, {
    params: paramsAt(place),
    body: [
      { id: lower.id, sortOrder: upper.sortOrder },
      { id: upper.id, sortOrder: Math.max(lower.sortOrder, upper.sortOrder + 1) },
    ],
  });
}

type CopyStrategyProps = Pick<StrategyItemProps, "strategy" | "place" | "environments">;

function CopyStrategy({ strategy, place, environments }: CopyStrategyProps) {
  const { id: _, sortOrder: __, ...copied } = strategy;
  const close = useClose();
  const copyTo = async (environment: string) => {
    const target = { ...place, environment };
    await confirmed(target, () => strategyQuestion(target, strategy));
    const copy = await change(`POST ${STRATEGIES}`, { params: paramsAt(target), body: copied });
    if (copy) tell(`Copied to ${environment}`);
    close();
  };
  const others = environments.filter(
    (environment) =>
      environment !== place.environment &&
      may("CREATE_FEATURE_STRATEGY", { project: place.project, environment }),
  );
  return (
    <Dialog title="Copy the strategy to">
      <div class="actions">
        {others.map((environment) => (
          <Button key={environment} onClick={() => copyTo(environment)}>
            {environment}
          </Button>
        ))}
      </div>
    </Dialog>
  );
}

const variantsInWords = ({ feature, environment }: FlagPlace, variants: readonly Variant[]) =>
  variants.length === 0
    ? `${isolated(feature)} will have no variants in ${isolated(environment)}.`
    : `${isolated(feature)} will have the variants ${listed(variants.map(({ name }) => isolated(name)))} in ${isolated(environment)}.`;

/** The variants of a flag in an environment, for strategies without variants of their own. */
const Variants = ({ place }: { place: FlagPlace }) => (
  <Editor
    title={`Variants in ${place.environment}`}
    isWide
    of={[`GET ${PLACE}/variants`, { params: paramsAt(place) }]}
    toValues={(now) => ({ variants: (now?.variants ?? []) as readonly Variant[] })}
    above={<p>For everyone who gets the flag here, unless the strategy has its own variants.</p>}
    fields={() => ({ variants: variantsControl })}
    update={async ({ variants }, ifStill) => {
      await confirmed(place, () => variantsInWords(place, variants));
      await change(`PUT ${PLACE}/variants`, { params: paramsAt(place), body: [...variants], ifStill });
    }}
    submit="Save the variants"
  />
);
