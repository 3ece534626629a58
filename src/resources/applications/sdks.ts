/** The oldest version of each SDK that is not outdated (original). */
const OLDEST: Readonly<Record<string, string>> = {
  "unleash-client-node": "5.3.2",
  "unleash-client-java": "9.0.0",
  "unleash-client-go": "4.1.0",
  "unleash-client-python": "5.9.2",
  "unleash-client-ruby": "5.0.0",
  "unleash-client-dotnet": "4.1.3",
  "unleash-client-php": "1.13.0",
};

/** Whether an SDK, as `name:version`, should be updated; false for unknown ones. */
export function isOutdated(sdk: string): boolean {
  const [name = "", version = "", ...rest] = sdk.split(":");
  const oldest = Object.hasOwn(OLDEST, name) ? OLDEST[name] : undefined;
  if (oldest === undefined || rest.length > 0) return false;
  const [given, wanted] = [partsOf(version), partsOf(oldest)!];
  return given !== undefined && isLess(given, wanted);
}

/** The numbers of a version and, for a prerelease, -1. */
function partsOf(version: string): number[] | undefined {
  const [, major, minor, patch, before] = /^(\d+)\.(\d+)\.(\d+)(-[\w.-]+)?(?:\+.*)?$/.exec(version) ?? [];
  return major === undefined ? undefined : [+major, +minor!, +patch!, before === undefined ? 0 : -1];
}

function isLess(given: readonly number[], wanted: readonly number[]) {
  const index = given.findIndex((part, at) => part !== wanted[at]);
  return index >= 0 && given[index]! < wanted[index]!;
}
