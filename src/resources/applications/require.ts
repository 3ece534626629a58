import type { SdkActor } from "../../auth/authenticate-sdk.ts";
import type { Application, Instance } from "../usage/gathered.ts";
import { environmentOf } from "../usage/require.ts";
import type { Registration } from "./schema.ts";

/** What a registration tells: an application, and who asks in its name. */
export function toRegistered(
  actor: SdkActor,
  { appName: application, instanceId, sdkVersion = null, strategies, ...said }: Registration,
  address: string | undefined,
): [Application, Instance] {
  const environment = environmentOf(actor, said.environment);
  const seenAt = new Date().toISOString();
  const clientIp = address ?? null;
  const instance = instanceId ?? "default";
  return [
    { kind: "application", application, environment, projects: actor.projects, strategies, seenAt },
    { kind: "instance", application, environment, instance, sdkVersion, clientIp, seenAt },
  ];
}
