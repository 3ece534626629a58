import { parseDocument } from "yaml";
import { DataError } from "../../db/error.ts";
import { convert } from "../../http/convert.ts";
import { check } from "../../lib/validation.ts";
import { ProjectText } from "./schema.ts";

/**
 * A project from YAML, which includes JSON.
 * @param source names the text in errors
 * @throws DataError for the first thing that is invalid, with its place
 */
export function readProjectText(text: string, source: string): ProjectText {
  const result = check(ProjectText, convert(ProjectText, parsed(text, source)));
  if (!result.violations) return result.value;
  const [{ path, message }] = result.violations;
  throw new DataError(`${source}: ${path === "" ? "it" : path} ${message}`);
}

function parsed(text: string, source: string): unknown {
  const document = parseDocument(text, { stringKeys: true });
  const [problem] = [...document.errors, ...document.warnings];
  if (problem?.code === "MULTIPLE_DOCS") throw new DataError(`${source}: must contain one document`);
  if (problem) throw invalid(source, problem);
  try {
    return document.toJS();
  } catch (error) {
    if (error instanceof ReferenceError) throw invalid(source, error); // too many aliases
    throw error;
  }
}

const invalid = (source: string, { message }: Error) =>
  new DataError(`${source}: ${message.split("\n")[0]!.replace(/:$/, "")}`);
