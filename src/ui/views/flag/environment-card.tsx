import { useDialog } from "../../address.ts";
import { count } from "../../format.ts";
import { Nothing } from "../../parts/answer.tsx";
import { WeightsBar } from "../../parts/bars.tsx";
import { Button, Switch } from "../../parts/button.tsx";
import { Badge, Time } from "../../parts/words.tsx";
import { may } from "../../session.ts";
import type { Flag, FlagEnvironment } from "./flag-frame.tsx";
import { FlagVariants } from "./flag-variants.tsx";
import { EditStrategy, NewStrategy } from "./strategy-dialog.tsx";
import { StrategyItem } from "./strategy-item.tsx";
import { switchFlag } from "./switch-flag.ts";

interface EnvironmentCardProps {
  flag: Flag;
  environment: FlagEnvironment;
}

/** A flag in one environment: whether it is on, and for whom. */
export function EnvironmentCard({ flag, environment }: EnvironmentCardProps) {
  const { name, enabled, strategies, yes, no, lastSeenAt, variants = [] } = environment;
  const place = { project: flag.project, feature: flag.name, environment: name };
  const adding = useDialog("new");
  const editing = useDialog("edit");
  const varying = useDialog("variants");
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
      <p class="muted">
        {lastSeenAt ? "Last seen " : "Never seen"} {lastSeenAt && <Time at={lastSeenAt} />}
        {yes + no > 0 && `; this hour: ${count(yes)} on, ${count(no)} off`}
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
        {may("CREATE_FEATURE_STRATEGY", place) && (
          <Button icon="add" onClick={() => adding.open(name)}>
            Add a strategy
          </Button>
        )}
        {may("UPDATE_FEATURE_ENVIRONMENT_VARIANTS", place) && (
          <Button onClick={() => varying.open(name)}>Variants</Button>
        )}
      </footer>
      {adding.of === name && <NewStrategy place={place} onClose={adding.close} />}
      {edited && <EditStrategy place={place} id={edited} onClose={editing.close} />}
      {varying.of === name && <FlagVariants place={place} onClose={varying.close} />}
    </section>
  );
}

/** The strategy being edited, if it is in the environment: it is named as `ENVIRONMENT/ID`, since it may be deleted. */
const strategyIn = (environment: string, edited = "") =>
  edited.startsWith(`${environment}/`) ? edited.slice(environment.length + 1) : undefined;
