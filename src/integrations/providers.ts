import { SLACK, SLACK_APP, TEAMS } from "./providers-chat.ts";
import { DATADOG, FILE, NEW_RELIC, WEBHOOK } from "./providers-data.ts";
import type { Provider, ProviderParameter } from "./schema.ts";

/** The original's providers in its order, then our own. */
export const PROVIDERS: readonly Provider[] = [WEBHOOK, SLACK, SLACK_APP, TEAMS, DATADOG, NEW_RELIC, FILE];

/** The provider with this name; undefined if it is unknown. */
export const providerByName = (name: string): Provider | undefined =>
  PROVIDERS.find((provider) => provider.name === name);

/** The parameters in the order of the definition; none for an unknown provider. */
export const parametersOf = (provider: string): readonly ProviderParameter[] =>
  providerByName(provider)?.parameters ?? [];
