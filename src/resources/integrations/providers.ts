import { SLACK, SLACK_APP, TEAMS } from "./providers-chat.ts";
import { DATADOG, FILE, NEW_RELIC, WEBHOOK } from "./providers-data.ts";
import type { Provider, ProviderParameter } from "./schema.ts";

/** The providers of the original, in its order, then our own. */
export const PROVIDERS: readonly Provider[] = [WEBHOOK, SLACK, SLACK_APP, TEAMS, DATADOG, NEW_RELIC, FILE];

/** The provider of this name; undefined for one that is not known. */
export const providerByName = (name: string): Provider | undefined =>
  PROVIDERS.find((provider) => provider.name === name);

/** Parameters in the order of the definition; none of a provider that is not known. */
export const parametersOf = (provider: string): readonly ProviderParameter[] =>
  providerByName(provider)?.parameters ?? [];
