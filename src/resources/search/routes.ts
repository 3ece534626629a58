import { hiddenProjects } from "../../auth/visibility.ts";
import { snapshot } from "../../db/snapshot.ts";
import { operation } from "../../http/operation.ts";
import { featuresNamed } from "./page-store.ts";
import { isPlain, plainSearch } from "./plain-store.ts";
import { FeatureSearch, FoundFeatures } from "./schema.ts";
import { type Found, searchAll } from "./slice-store.ts";

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
}).run((request) => {
  const { db, actor, query } = request;
  const { userId } = actor;
  const caller = { userId, hidden: hiddenProjects(db, actor) };
  const toPage = ({ names, total }: Found) => ({ features: featuresNamed(db, names, userId), total });
  if (isPlain(query)) return snapshot(db, () => toPage(plainSearch(db, query, caller)));
  return searchAll(db, query, caller, request.signal).then(toPage);
});
