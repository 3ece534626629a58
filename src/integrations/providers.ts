import { DATADOG, datadog } from "./datadog.ts";
import { FILE, file } from "./file.ts";
import type { Provider, ProviderParameter } from "./integrations-schema.ts";
import { NEW_RELIC, newRelic } from "./new-relic.ts";
import type { Deliver } from "./provider.ts";
import { SLACK, SLACK_APP, slack, slackApp } from "./slack.ts";
import { TEAMS, teams } from "./teams.ts";
import { WEBHOOK, webhook } from "./webhook.ts";

/** The original's providers in its order, then our own; each with the function that delivers an event. */
const DELIVER: ReadonlyMap<Provider, Deliver> = new Map([
  [WEBHOOK, webhook],
  [SLACK, slack],
  [SLACK_APP, slackApp],
  [TEAMS, teams],
  [DATADOG, datadog],
  [NEW_RELIC, newRelic],
  [FILE, file],
]);

export const PROVIDERS: readonly Provider[] = [...DELIVER.keys()];

/** The provider with this name; undefined if it is unknown. */
export const providerByName = (name: string): Provider | undefined =>
  PROVIDERS.find((provider) => provider.name === name);

/** The function that delivers an event; undefined for an unknown provider. */
export function deliverOf(name: string): Deliver | undefined {
  const provider = providerByName(name);
  return provider && DELIVER.get(provider);
}

/** The parameters in the order of the definition; none for an unknown provider. */
export const parametersOf = (provider: string): readonly ProviderParameter[] =>
  providerByName(provider)?.parameters ?? [];
