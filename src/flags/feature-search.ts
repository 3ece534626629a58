import { hiddenProjects } from "../access/visibility.ts";
import { snapshot } from "../db/database.ts";
import { GET } from "../http/operation.ts";
import { featuresNamed } from "./feature-search-page.ts";
import { FeatureSearch, FoundFeatures } from "./feature-search-schema.ts";
import { matches } from "./feature-search-store.ts";

export const searchFeatures = GET({
  id: "searchFeatures",
  summary: "Search flags by name, description and other criteria, one page at a time",
  tag: "Search",
  path: "/api/admin/search/features",
  permission: null,
  query: FeatureSearch,
  includesUsage: true,
  response: FoundFeatures,
}).run(({ db, actor, query }) =>
  snapshot(db, () => {
    const { names, total } = matches(db, query, actor.userId, hiddenProjects(db, actor));
    return { features: featuresNamed(db, names, actor.userId), total };
  }),
);
