import { type Constraint, cleaned } from "../../parts/constraints.tsx";
import type { FlagStrategy } from "./flag-frame.tsx";

/** A strategy being edited. */
export type StrategyDraft = {
  name: string;
  title: string;
  disabled: boolean;
  parameters: Readonly<Record<string, string>>;
  constraints: readonly Constraint[];
  segments: readonly number[];
  variants: readonly FlagStrategy["variants"][number][];
};

/** A new draft: the most common strategy, for everyone. @param groupId decides which users a rollout reaches first */
export const newDraft = (groupId: string): StrategyDraft => ({
  name: "flexibleRollout",
  title: "",
  disabled: false,
  parameters: { rollout: "100", stickiness: "default", groupId },
  constraints: [],
  segments: [],
  variants: [],
});

/** The editable part of a stored strategy, of which some may be missing. */
type Stored = { name: string; title?: string | null | undefined; disabled?: boolean | null | undefined } & {
  [Name in "parameters" | "constraints" | "segments" | "variants"]?: StrategyDraft[Name] | undefined;
};

export const toDraft = (stored: Stored): StrategyDraft => ({
  name: stored.name,
  title: stored.title ?? "",
  disabled: stored.disabled ?? false,
  parameters: stored.parameters ?? {},
  constraints: stored.constraints ?? [],
  segments: stored.segments ?? [],
  variants: stored.variants ?? [],
});

/** The draft as a request body, without empty values. */
export const toBody = ({ constraints, segments, variants, parameters, ...draft }: StrategyDraft) => ({
  ...draft,
  parameters: { ...parameters },
  segments: [...segments],
  variants: [...variants],
  constraints: cleaned(constraints),
});
