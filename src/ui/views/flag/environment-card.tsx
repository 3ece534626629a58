import { useState } from "preact/hooks";
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
  const [open, setOpen] = useState<"strategy" | "variants" | { edited: string } | undefined>();
  const close = () => setOpen(undefined);
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
            onEdit={() => setOpen({ edited: strategy.id })}
          />
        ))}
      </ol>
      {variants.length > 0 && <WeightsBar variants={variants} />}
      <footer>
        {may("CREATE_FEATURE_STRATEGY", place) && (
          <Button icon="add" onClick={() => setOpen("strategy")}>
            Add a strategy
          </Button>
        )}
        {may("UPDATE_FEATURE_ENVIRONMENT_VARIANTS", place) && (
          <Button onClick={() => setOpen("variants")}>Variants</Button>
        )}
      </footer>
      {open === "strategy" && <NewStrategy place={place} onClose={close} />}
      {typeof open === "object" && <EditStrategy place={place} id={open.edited} onClose={close} />}
      {open === "variants" && <FlagVariants place={place} onClose={close} />}
    </section>
  );
}
