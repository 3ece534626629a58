import { addRoute, createRouter, findRoute } from "rou3";
import type { Operation } from "./operation.ts";

/** Finds the operation for a method and a path: HEAD matches GET, and literal segments win over parameters. */
export function operationFinder(operations: readonly Operation[], basePath = "") {
  const router = createRouter<Operation>();
  for (const operation of operations)
    addRoute(router, operation.method, basePath + operation.path, operation);
  return (method: string, path: string): Operation | undefined =>
    findRoute(router, method === "HEAD" ? "GET" : method, path)?.data;
}
