import type { Operation } from "../http/operation.ts";

/** What path parameters are in examples, unless an operation says otherwise; any other name is that of a flag. */
const PARAMS: Readonly<Record<string, string>> = {
  projectId: "shop",
  featureName: "first-flag",
  child: "first-flag",
  parent: "base-flag",
  key: "first-flag",
  environment: "development",
  changeId: "1",
  linkId: "the-design",
  strategyId: "5b8f7e3c-3f0a-4c1d-9a52-0d7c6f3b1e24",
  contextField: "plan",
  legalValue: "gold",
  strategyName: "geo",
  appName: "checkout",
  type: "simple",
  value: "urgent",
  token: "shop:development.*****-9",
  tokenId: "7",
  id: "1",
  roleId: "5",
  groupId: "1",
  userId: "2",
  eventId: "1",
};

/** The request that an operation has as its example, with every parameter of its path. */
export function exampleOf(operation: Pick<Operation, "path" | "query" | "example" | "exampleParams">) {
  const { path, query, example, exampleParams = {} } = operation;
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!);
  const inQuery = Object.keys(query?.entries ?? {}).filter((name) => exampleParams[name] !== undefined);
  return {
    params: Object.fromEntries(
      inPath.map((name) => [name, exampleParams[name] ?? PARAMS[name] ?? "first-flag"]),
    ),
    query: Object.fromEntries(inQuery.map((name) => [name, exampleParams[name]!])),
    body: example,
  };
}
