import type { Database } from "../../db/database.ts";
import { composedQuery } from "../../db/statement.ts";
import { type Criterion, criteriaOf } from "./criteria-store.ts";
import { orderOf } from "./order-store.ts";
import type { FeatureSearch } from "./schema.ts";

/*
 * A search reads every flag, unless it is for those with a tag or a segment: no index covers substrings or every
 * criterion. That takes a few milliseconds for 5,000 flags, as the statement contains only what was asked for.
 */

/** Whose search it is. */
export interface Caller {
  userId: number | null;
  hidden: readonly string[];
}

/** The names on a page, and the total number of matches. */
export interface Found {
  names: string[];
  total: number;
}

export function searchAll(db: Database, search: FeatureSearch, { userId, hidden }: Caller): Found {
  const { sql, bind } = allOf(criteriaOf(search, hidden));
  const total = composedQuery<object, number>(db, `SELECT count(*) ${sql}`).pluck().get(bind)!;
  const { offset, limit } = search;
  if (total <= offset) return { names: [], total };
  const order = orderOf(search, userId);
  const page = `SELECT name ${sql} ORDER BY ${order.sql} LIMIT :limit OFFSET :offset`;
  const names = composedQuery<object, string>(db, page).pluck();
  return { names: names.all({ ...bind, ...order.bind, offset, limit }), total };
}

const allOf = (criteria: readonly Criterion[]) => ({
  sql: `FROM features AS flag WHERE ${criteria.map(({ sql }) => sql).join(" AND ")}`,
  bind: Object.assign({}, ...criteria.map(({ bind }) => bind)) as object,
});
