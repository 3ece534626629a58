import type { Database } from "../db/database.ts";
import { bookkeeping, query } from "../db/statement.ts";
import type { Writing } from "../db/transaction.ts";
import { startOfHour } from "../lib/time.ts";

const remove = bookkeeping<{ feature: string }>(`DELETE FROM usage_series WHERE feature = :feature`);

/** Removes what was counted under a flag's name: it ends with the flag, and another one begins without it. */
export const removeUse = (tx: Writing, feature: string) => remove(tx).run({ feature });

const usageOfAll = query<
  { features: string; since: string },
  Counted & { feature: string; environment: string }
>(`
  SELECT feature, environment, sum(yes) AS yes, sum(no) AS no
  FROM json_each(:features) AS wanted
  CROSS JOIN usage_series ON usage_series.feature = wanted.value
  JOIN hourly_usage ON series = usage_series.id AND hour >= :since
  GROUP BY feature, environment`);

/** How often a flag was on and off. */
export interface Counted {
  yes: number;
  no: number;
}

/** Looks up how often any of these flags was on and off in an environment in the current hour. */
export function usageThisHour(db: Database, features: readonly string[]) {
  const since = startOfHour(Date.now());
  const rows = usageOfAll(db).all({ features: JSON.stringify(features), since });
  const byKey = new Map(
    rows.map(({ feature, environment, yes, no }) => [`${environment} ${feature}`, { yes, no }]),
  );
  return (feature: string, environment: string): Counted =>
    byKey.get(`${environment} ${feature}`) ?? { yes: 0, no: 0 };
}
