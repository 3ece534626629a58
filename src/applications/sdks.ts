/** The oldest version of each SDK that is not outdated (original). */
const MINIMUM: Readonly<Record<string, string>> = {
  "unleash-client-node": "5.3.2",
  "unleash-client-java": "9.0.0",
  "unleash-client-go": "4.1.0",
  "unleash-client-python": "5.9.2",
  "unleash-client-ruby": "5.0.0",
  "unleash-client-dotnet": "4.1.3",
  "unleash-client-php": "1.13.0",
};

/** Whether an SDK, written as `name:version`, is outdated; false for an unknown one. */
export function isOutdated(sdk: string): boolean {
  const [name = "", version = "", ...rest] = sdk.split(":");
  const minimum = Object.hasOwn(MINIMUM, name) ? MINIMUM[name] : undefined;
  if (minimum === undefined || rest.length > 0) return false;
  const [actual, required] = [partsOf(version), partsOf(minimum)!];
  return actual !== undefined && isLess(actual, required);
}

/** The numbers of a version and, for a prerelease, -1. */
function partsOf(version: string): number[] | undefined {
  const [, major, minor, patch, prerelease] = /^(\d+)\.(\d+)\.(\d+)(-[\w.-]+)?(?:\+.*)?$/.exec(version) ?? [];
  return major === undefined ? undefined : [+major, +minor!, +patch!, prerelease === undefined ? 0 : -1];
}

function isLess(actual: readonly number[], required: readonly number[]) {
  const index = actual.findIndex((part, at) => part !== required[at]);
  return index >= 0 && actual[index]! < required[index]!;
}
