import type { SdkActor } from "../../access/authenticate-sdk.ts";
import type { Database } from "../../db/statement.ts";
import { toRegistered } from "../require.ts";
import { environmentOf, gather, toUses } from "../usage/require.ts";
import type { EdgeReport } from "./schema.ts";

/** Stores an Edge's report, except for environments other than the token's (original). */
export function gatherFromEdge(
  db: Database,
  actor: SdkActor,
  { applications, metrics }: EdgeReport,
  address: string | undefined,
) {
  const own = applications.filter(({ environment }) => environment === environmentOf(actor));
  gather(db, [
    ...own.flatMap((application) => toRegistered(actor, application, address)),
    ...toUses(db, actor, metrics),
  ]);
}
