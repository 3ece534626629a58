import { addRoute, createRouter, findRoute } from "rou3";
import type { Operation } from "./operation.ts";

/** Finds what a method and a path ask for: HEAD asks as GET does, and a word of a path goes before a parameter. */
export function operationFinder(operations: readonly Operation[], basePath = "") {
  const router = createRouter<Operation>();
  for (const operation of operations)
    addRoute(router, operation.method, basePath + operation.path, operation);
  return (method: string, path: string): Operation | undefined =>
    findRoute(router, method === "HEAD" ? "GET" : method, path)?.data;
}
