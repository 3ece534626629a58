import { hiddenProjects } from "../../access/visibility.ts";
import { snapshot } from "../../db/database.ts";
import { operation } from "../../http/operation.ts";
import { featuresNamed } from "./page-store.ts";
import { FeatureSearch, FoundFeatures } from "./schema.ts";
import { searchAll } from "./search-store.ts";

export const searchFeatures = operation({
  id: "searchFeatures",
  summary: "Search flags by name, description and other criteria, one page at a time",
  tag: "Search",
  method: "GET",
  path: "/api/admin/search/features",
  permission: null,
  query: FeatureSearch,
  includesUsage: true,
  response: FoundFeatures,
}).run(({ db, actor, query }) =>
  snapshot(db, () => {
    const caller = { userId: actor.userId, hidden: hiddenProjects(db, actor) };
    const { names, total } = searchAll(db, query, caller);
    return { features: featuresNamed(db, names, actor.userId), total };
  }),
);
