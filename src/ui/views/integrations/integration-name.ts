import type { Output } from "../../api.ts";

type Listed = Output<"GET /api/admin/addons">;
type Integration = Listed["addons"][number];
type Providers = ReadonlyArray<Listed["providers"][number]>;

/** The provider's name, as it calls itself. */
export const providerOf = ({ provider }: Integration, providers: Providers) =>
  providers.find(({ name }) => name === provider)?.displayName ?? provider;

/** What an integration is called: its description, or else its provider and number. */
export const nameOf = (integration: Integration, providers: Providers) =>
  integration.description || `${providerOf(integration, providers)} ${integration.id}`;
