import type { Need } from "../access/require-permission.ts";
import type { Operation } from "./operation.ts";

/** What an operation requires of its caller, in Markdown. */
export function requirement(need: Operation["permission"], isOpen: boolean): string {
  if (isOpen) return "no credential";
  if (need === null) return "any user";
  if (typeof need === "string") return `\`${need}\``;
  const { permission = [], project, feature, segment, isForSdks, unlessOwn }: Need = need;
  const names = [permission].flat().map((name) => `\`${name}\``);
  if (isForSdks) return "an API token";
  if (names.length === 0) return project || feature || segment ? "access to the project" : "any user";
  return `${names.join(" or ")}${unlessOwn ? ", unless it is the caller's own" : ""}`;
}
