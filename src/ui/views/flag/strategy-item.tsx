import { useDialog } from "../../address.ts";
import { RolloutBar, WeightsBar } from "../../parts/bars.tsx";
import { Button, IconButton } from "../../parts/button.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { tell } from "../../parts/messages.tsx";
import { Badge } from "../../parts/words.tsx";
import { change, useRead } from "../../reads.ts";
import { strategyInWords } from "../../sentence.ts";
import { may } from "../../session.ts";
import type { FlagStrategy } from "./flag-frame.tsx";
import { type FlagPlace, paramsOf } from "./switch-flag.ts";

interface StrategyItemProps {
  strategy: FlagStrategy;
  place: FlagPlace;
  /** The strategy before it, with which it can be swapped. */
  above: FlagStrategy | undefined;
  environments: readonly string[];
  /** Without it, no enabled strategy would be left where the flag is on: the server turns the flag off. */
  isLastOn: boolean;
  onEdit(): void;
}

const STRATEGIES =
  "/api/admin/projects/:projectId/features/:featureName/environments/:environment/strategies";

/** A strategy as a sentence and a bar, with its actions. */
export function StrategyItem({ strategy, place, above, environments, isLastOn, onEdit }: StrategyItemProps) {
  const copying = useDialog("copy");
  const removing = useDialog("remove");
  const segments = useRead("GET /api/admin/segments").data?.segments ?? [];
  const names = strategy.segments.map((id) => segments.find((one) => one.id === id)?.name ?? String(id));
  const words = strategyInWords(strategy, names);
  const { title, disabled, parameters, variants } = strategy;
  return (
    <li class={disabled ? "strategy disabled" : "strategy"}>
      {title !== "" && (
        <strong>
          <bdi>{title}</bdi>
        </strong>
      )}
      <p>
        {words} {disabled && <Badge>disabled</Badge>}
      </p>
      {parameters.rollout !== undefined && <RolloutBar percent={Number(parameters.rollout)} />}
      {variants.length > 0 && <WeightsBar variants={variants} />}
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
          <IconButton
            icon="copy"
            label={`Copy to another environment: ${words}`}
            onClick={() => copying.open(strategy.id)}
          />
        )}
        {may("DELETE_FEATURE_STRATEGY", place) && (
          <IconButton icon="remove" label={`Remove: ${words}`} onClick={() => removing.open(strategy.id)} />
        )}
      </div>
      {copying.of === strategy.id && (
        <CopyStrategy strategy={strategy} place={place} environments={environments} onClose={copying.close} />
      )}
      {removing.of === strategy.id && (
        <Confirm
          title="Remove the strategy?"
          action="Remove"
          onClose={removing.close}
          onConfirm={() =>
            change(`DELETE ${STRATEGIES}/:strategyId`, {
              params: { ...paramsOf(place), strategyId: strategy.id },
            })
          }
        >
          In {place.environment}, the flag will no longer be on for: {words}.
          {isLastOn && ` No other strategy is enabled there, so the flag will be turned off.`}
        </Confirm>
      )}
    </li>
  );
}

/** Swaps two strategies; those that were never sorted have the same sort order. */
const swap = (place: FlagPlace, lower: FlagStrategy, upper: FlagStrategy) =>
  change(`POST ${STRATEGIES}/set-sort-order`, {
    params: paramsOf(place),
    body: [
      { id: lower.id, sortOrder: upper.sortOrder },
      { id: upper.id, sortOrder: Math.max(lower.sortOrder, upper.sortOrder + 1) },
    ],
  });

interface CopyStrategyProps {
  strategy: FlagStrategy;
  place: FlagPlace;
  environments: readonly string[];
  onClose(): void;
}

function CopyStrategy({ strategy, place, environments, onClose }: CopyStrategyProps) {
  const { id: _, sortOrder: __, ...copied } = strategy;
  const copyTo = async (environment: string) => {
    const params = paramsOf({ ...place, environment });
    await change(`POST ${STRATEGIES}`, { params, body: copied });
    tell(`Copied to ${environment}`);
    onClose();
  };
  const others = environments.filter(
    (environment) =>
      environment !== place.environment &&
      may("CREATE_FEATURE_STRATEGY", { project: place.project, environment }),
  );
  return (
    <Dialog title="Copy the strategy to" onClose={onClose}>
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
