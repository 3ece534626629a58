import type { Constraint } from "../../parts/constraints.tsx";
import type { FlagStrategy } from "./flag-frame.tsx";

/** A strategy while it is edited. */
export type StrategyDraft = {
  name: string;
  title: string;
  disabled: boolean;
  parameters: Readonly<Record<string, string>>;
  constraints: readonly Constraint[];
  segments: readonly number[];
  variants: readonly FlagStrategy["variants"][number][];
};

/** A new one begins as the strategy that is most used, for everyone. @param groupId what decides who gets it first */
export const newDraft = (groupId: string): StrategyDraft => ({
  name: "flexibleRollout",
  title: "",
  disabled: false,
  parameters: { rollout: "100", stickiness: "default", groupId },
  constraints: [],
  segments: [],
  variants: [],
});

/** What can be edited of a strategy, where some of it may be left out. */
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

/** The same as it is sent; lines that are still empty are no values. */
export const toBody = ({ constraints, segments, variants, parameters, ...rest }: StrategyDraft) => ({
  ...rest,
  parameters: { ...parameters },
  segments: [...segments],
  variants: [...variants],
  constraints: constraints.map(({ values = [], ...one }) => ({
    ...one,
    values: values.map((value) => value.trim()).filter((value) => value !== ""),
  })),
});
