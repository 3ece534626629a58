import type { SdkActor } from "../access/authenticate-sdk.ts";
import type { Database } from "../db/statement.ts";
import { ApiError } from "../lib/api-error.ts";
import { timestamp } from "../lib/timestamp.ts";
import type { Application, Registration } from "./schema.ts";
import { applicationNamed, isShown } from "./store.ts";
import type * as gathered from "./usage/gathered.ts";
import { environmentOf } from "./usage/require.ts";

export { SHOWN } from "./store.ts";

/** The contents of a registration: an application, and the instance that sent it. */
export function toRegistered(
  actor: SdkActor,
  { appName: application, instanceId, sdkVersion = null, strategies, ...rest }: Registration,
  address: string | undefined,
): [gathered.Application, gathered.Instance] {
  const environment = environmentOf(actor, rest.environment);
  const seenAt = timestamp();
  const clientIp = address ?? null;
  const instance = instanceId ?? "default";
  return [
    { kind: "application", application, environment, projects: actor.projects, strategies, seenAt },
    { kind: "instance", application, environment, instance, sdkVersion, clientIp, seenAt },
  ];
}

/**
 * An application that has registered or was described.
 * @throws ApiError `NotFoundError`, also for one that only belongs to hidden projects
 */
export function requireApplication(db: Database, name: string, hidden: readonly string[]): Application {
  const application = applicationNamed(db, name);
  if (application && isShown(db, name, hidden)) return application;
  throw new ApiError("NotFoundError", `There is no application ${name}`);
}
