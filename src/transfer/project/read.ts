import { parse, YAMLParseError } from "yaml";
import { DataError } from "../../db/error.ts";
import { check } from "../../validation.ts";
import { ProjectText } from "./schema.ts";

/**
 * A project from YAML, which includes JSON.
 * @param source names the text in errors
 * @throws DataError for the first thing that is wrong, with its place
 */
export function readProjectText(text: string, source: string): ProjectText {
  const result = check(ProjectText, parsed(text, source));
  if (!result.violations) return result.value;
  const [{ path, message }] = result.violations;
  throw new DataError(`${source}: ${path === "" ? "it" : path} ${message}`);
}

function parsed(text: string, source: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof YAMLParseError || error instanceof ReferenceError)
      throw new DataError(`${source}: ${error.message.split("\n")[0]!.replace(/:$/, "")}`);
    throw error;
  }
}
