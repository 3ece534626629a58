// @ts-expect-error esbuild puts the text here
import text from "#licenses-text";

export const LICENSES: string = text;
