import type { Actor } from "../access/actor.ts";
import { hiddenProjects } from "../access/visibility.ts";
import { UnreadableSecretError } from "../db/secrets.ts";
import type { Database } from "../db/statement.ts";
import { ApiError, invalid } from "../lib/api-error.ts";
import { MASK } from "../lib/mask.ts";
import { eventOfRecord, eventToTry } from "./delivery-store.ts";
import { PARAMETER_CHECKS } from "./parameter-checks.ts";
import { PROVIDERS, parametersOf, providerByName } from "./providers.ts";
import type { NewIntegration, ProviderParameter } from "./schema.ts";
import { decryptedParameters, type Parameters } from "./secrets.ts";
import { integrationById, type StoredIntegration } from "./store.ts";

/** @throws ApiError `NotFoundError` unless there is an integration with this id */
export function requireIntegration(db: Database, id: number): StoredIntegration {
  const integration = integrationById(db, id);
  if (integration) return integration;
  throw new ApiError("NotFoundError", "There is no integration with this id");
}

/** @throws ApiError `ConflictError` for a disabled integration, which would deliver nothing */
export function requireEnabled({ enabled }: StoredIntegration) {
  if (!enabled) throw new ApiError("ConflictError", "The integration is disabled: enable it first");
}

/** The event of an integration's record. @throws ApiError `NotFoundError` */
export function requireRecord(db: Database, id: number, recordId: bigint): number {
  const eventId = eventOfRecord(db, id, recordId);
  if (eventId !== undefined) return eventId;
  throw new ApiError("NotFoundError", "The integration has no record with this id");
}

/** An event for testing an integration. @throws ApiError `ConflictError` if there is none that it may see */
export function requireEventToTry(db: Database, actor: Actor, id: number): number {
  const eventId = eventToTry(db, id, hiddenProjects(db, actor));
  if (eventId !== undefined) return eventId;
  throw new ApiError("ConflictError", "There is no event to send yet: save the integration once");
}

/**
 * Checks the requested properties. @returns them with stored secrets in place of masked ones
 * @throws ApiError `ValidationError` for an unknown provider and invalid parameters
 */
export function requireValidIntegration(
  db: Database,
  integration: NewIntegration,
  stored?: StoredIntegration,
): NewIntegration {
  if (!providerByName(integration.provider)) {
    const known = PROVIDERS.map(({ name }) => name).join(", ");
    throw invalid({ path: "body.provider", message: `must be one of ${known}` });
  }
  const parameters = unmasked(db, integration, stored);
  for (const parameter of parametersOf(integration.provider))
    requireParameter(parameter, parameters[parameter.name]);
  return { ...integration, parameters: parameters as NewIntegration["parameters"] };
}

function requireParameter({ name, required }: ProviderParameter, value: unknown) {
  const parameterError = (message: string) => invalid({ path: `body.parameters.${name}`, message });
  const text = value === undefined ? "" : String(value);
  if (required && text.trim() === "") throw parameterError("is required");
  const problem = text === "" ? undefined : PARAMETER_CHECKS[name]?.(text);
  if (problem !== undefined) throw parameterError(problem);
}

/**
 * A mask stands for the stored secret (original). If its destination changes, it must be given again: otherwise anyone
 * who can change the destination but doesn't know the secret could have it sent to a server of their own.
 */
function unmasked(db: Database, integration: NewIntegration, stored?: StoredIntegration): Parameters {
  const { parameters } = integration;
  const masked = Object.keys(parameters).filter((name) => parameters[name] === MASK);
  if (masked.length === 0) return parameters;
  const secrets = stored ? secretsOf(db, stored, masked[0]!) : {};
  const given = { ...parameters, ...Object.fromEntries(masked.map((name) => [name, secrets[name]])) };
  const isMoved =
    integration.provider !== stored?.provider ||
    DESTINATION.some((name) => (given[name] ?? "") !== (secrets[name] ?? ""));
  for (const name of masked) {
    const path = `body.parameters.${name}`;
    if (secrets[name] === undefined)
      throw invalid({ path, message: "is masked, but no secret is stored: give it in full" });
    if (isMoved)
      throw invalid({ path, message: "is masked, but its destination has changed: give it again" });
  }
  return given;
}

/** What decides where a request goes: a header may name another host behind the same address. */
const DESTINATION = ["url", "customHeaders"];

function secretsOf(db: Database, stored: StoredIntegration, name: string) {
  try {
    return decryptedParameters(db, stored, stored.parameters);
  } catch (error) {
    if (!(error instanceof UnreadableSecretError)) throw error;
    throw invalid({ path: `body.parameters.${name}`, message: "can no longer be read: give it again" });
  }
}
