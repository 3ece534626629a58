import { STATUS_CODES } from "node:http";
import { type ConversionConfig, toJsonSchema, toJsonSchemaDefs } from "@valibot/to-json-schema";
import { SESSION_COOKIE } from "../access/session-store.ts";
import { targetOf } from "../http/if-match.ts";
import { NoBody, type Operation, requirement, textTypeOf } from "../http/operation.ts";
import { takesTime } from "../http/past.ts";
import { ErrorBody, type ErrorName, STATUS } from "../lib/api-error.ts";
import { nextTurn } from "../lib/background.ts";
import type { Schema } from "../lib/validation.ts";
import { VERSION } from "../lib/version.ts";
import { exampleOf } from "./examples.ts";

/*
 * The OpenAPI description of the API, generated from the operations' contracts, so that it always matches the server:
 * the same schemas validate requests, and responses in the tests.
 */

/** 3.0 is for generators that know nothing else; it can express a little less. */
export const OPENAPI_VERSIONS = ["3.1", "3.0"] as const;

interface Options {
  /** Shared by operations, by name. */
  schemas: Readonly<Record<string, Schema>>;
  /** The server's URL, or the base path. */
  root: string;
  /** The operations that need no credential. */
  open: ReadonlySet<Operation>;
  version: (typeof OPENAPI_VERSIONS)[number];
}

/** Takes a second of processor time, in slices, so that other requests are answered in between. */
export async function toOpenApi(
  operations: readonly Operation[],
  { schemas, root, open, version }: Options,
): Promise<object> {
  const definitions = { ...schemas, ErrorBody };
  const conversion = version === "3.0" ? IN_3_0 : IN_3_1;
  const convert: Convert = (schema, typeMode) => {
    const {
      $schema: _,
      $defs: __,
      ...converted
    } = toJsonSchema(schema, { ...conversion, definitions, typeMode });
    return withRefs(converted, version);
  };
  const paths: Record<string, object> = {};
  for (const one of operations.filter(isDescribed)) {
    const isConditional = one.changes && targetOf(one, operations) !== undefined;
    const described = toOperation(one, convert, { isOpen: open.has(one), isConditional, version });
    const path = one.path.replaceAll(/:(\w+)/g, "{$1}");
    paths[path] = { ...paths[path], [one.method.toLowerCase()]: described };
    await nextTurn();
  }
  const components = withRefs(toJsonSchemaDefs(definitions, { ...conversion, typeMode: "output" }), version);
  return {
    ...documentFor(operations, root, version),
    paths,
    components: { ...SECURITY, schemas: usedComponents(components, paths) },
  };
}

/** Operations that were removed are not described. */
const isDescribed = ({ status }: Operation) => status !== 410;

const IN_3_1: ConversionConfig = {
  target: "draft-2020-12",
  // JSON Schema can't express checks in code; of our own checks, those on an object still give its type.
  errorMode: "ignore",
  overrideSchema: ({ valibotSchema, jsonSchema }) =>
    valibotSchema.type === "custom" ? { ...jsonSchema, type: "object" } : undefined,
};

const IN_3_0: ConversionConfig = { ...IN_3_1, target: "openapi-3.0" };

const SECURITY = {
  securitySchemes: {
    token: {
      type: "apiKey",
      in: "header",
      name: "Authorization",
      description: "A token, alone or after Bearer",
    },
    session: {
      type: "apiKey",
      in: "cookie",
      name: SESSION_COOKIE,
      description: "The session of a signed-in user",
    },
  },
};

const documentFor = (operations: readonly Operation[], root: string, version: Options["version"]) => ({
  openapi: `${version}.0`,
  info: {
    title: "Flagstone",
    version: VERSION,
    description: "The Unleash admin API, as of version 6.3, answered from one SQLite file",
    license: { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" },
  },
  servers: [{ url: root || "/" }],
  security: [{ token: [] }, { session: [] }],
  tags: [...new Set(operations.map(({ tag }) => tag))].sort().map((name) => ({ name, description: name })),
});

/** The components that operations refer to, directly or through other components. */
function usedComponents(components: object, paths: object): object {
  const found: Record<string, unknown> = {};
  const collect = (value: unknown) => {
    for (const [, name = ""] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (name in found) continue;
      found[name] = components[name as keyof typeof components];
      collect(found[name]);
    }
  };
  collect(paths);
  return found;
}

type Convert = (schema: Schema, typeMode: "input" | "output") => object;

/** What an operation's contract doesn't say. */
interface Traits {
  /** It needs no credential. */
  isOpen: boolean;
  /** It accepts `If-Match`. */
  isConditional: boolean;
  version: Options["version"];
}

function toOperation(operation: Operation, convert: Convert, { isOpen, isConditional, version }: Traits) {
  const { id, summary, tag, body, response, deprecated, status = 200, isStream, rows } = operation;
  const content = (schema: object, type = "application/json") => ({ [type]: { schema } });
  const contentOf = (schema: object) =>
    isStream
      ? streamContent(schema, version)
      : { ...content(schema, textTypeOf(response)), ...(rows && CSV_CONTENT) };
  const error = { content: content({ $ref: "#/components/schemas/ErrorBody" }) };
  return {
    operationId: id,
    summary,
    description: descriptionOf(operation, isOpen),
    tags: [tag],
    ...(deprecated && { deprecated }),
    ...(isOpen && { security: [] }),
    parameters: [
      ...parametersOf(operation, convert),
      ...(isConditional ? [IF_MATCH] : []),
      ...(takesTime(operation) && !operation.changes ? [AT] : []),
    ],
    ...(body && { requestBody: requestBodyOf(operation, convert(body, "input")) }),
    ...(operation.isUpload && {
      requestBody: { required: true, content: content(BYTES, "application/octet-stream") },
    }),
    responses: {
      [status]: {
        description: STATUS_CODES[status]!,
        ...(operation.records && { headers: RECORDED }),
        ...(response !== NoBody && { content: contentOf(convert(response, "output")) }),
      },
      ...Object.fromEntries(
        [...errorsOf(operation), ...(isConditional ? [PRECONDITION_FAILED] : [])].map((name) => [
          STATUS[name],
          { description: name, ...error },
        ]),
      ),
    },
  };
}

/** Who may do it, and what it leaves in the log. */
function descriptionOf({ permission, records = [] }: Operation, isOpen: boolean) {
  const events = records.map((type) => `\`${type}\``).join(", ");
  return `Requires ${requirement(permission, isOpen)}.${events && ` Records ${events}.`}`;
}

const RECORDED = {
  "Flagstone-Event": {
    description: "The first event that the change has recorded; absent if there is none",
    schema: { type: "integer" },
  },
};

const CSV_CONTENT = { "text/csv": { schema: { type: "string" } } };

/** A stream of messages; the schema describes the data of each, which 3.0 can't say. */
const streamContent = (contentSchema: object, version: Options["version"]) => ({
  "text/event-stream": {
    schema: {
      type: "string",
      ...(version !== "3.0" && { contentMediaType: "application/json", contentSchema }),
    },
  },
});

/** A file of any size. */
const BYTES = { type: "string", format: "binary" };

function requestBodyOf(operation: Operation, schema: object) {
  const { body: example } = exampleOf(operation);
  const content = { "application/json": { schema, ...(example !== undefined && { example }) } };
  return { required: !operation.isBodyOptional, content };
}

const PRECONDITION_FAILED: ErrorName = "PreconditionFailedError";

const IF_MATCH = {
  name: "If-Match",
  in: "header",
  description: "The ETag of what was read: the change is made only if it is still current",
  schema: { type: "string" },
};

const AT = {
  name: "at",
  in: "query",
  description: "A time, or the id of an event: what is answered is what was then",
  schema: { type: "string" },
};

/** Path parameters first; the server ignores undeclared ones. */
function parametersOf(operation: Operation, convert: Convert) {
  const { path, params, query } = operation;
  const examples = exampleOf(operation);
  const entries = (schema?: Schema) =>
    (schema as { entries?: Record<string, Schema> } | undefined)?.entries ?? {};
  const pathNames = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!);
  const inPath = pathNames.map((name) => ({
    name,
    in: "path",
    required: true,
    example: examples.params[name],
    schema: toText(convert(entries(params)[name]!, "input")),
  }));
  const inQuery = Object.entries(entries(query)).map(([name, schema]) => ({
    name,
    in: "query",
    ...(examples.query[name] !== undefined && { example: examples.query[name] }),
    schema: toText(convert(schema, "input")),
  }));
  return [...inPath, ...inQuery];
}

/** Path and query values arrive as text; bounds on the parsed number don't apply to the text. */
const toText = ({ minimum: _, maximum: __, ...schema }: { minimum?: number; maximum?: number }) => schema;

/** The errors `mount` can raise for this contract, and the operation's own. */
function errorsOf({ params, wrongParamsAre404, query, body, errors = [] }: Operation): ErrorName[] {
  const isChecked = query ?? body ?? (params && !wrongParamsAre404);
  return [
    ...(isChecked ? (["ValidationError"] as const) : []),
    "AuthenticationRequired",
    "NoAccessError",
    ...errors,
    ...(body ? (["PayloadTooLargeError", "ContentTypeError"] as const) : []),
    "ServiceUnavailableError",
  ];
}

/** The converter writes references for JSON Schema; OpenAPI keeps its definitions under components. */
const withRefs = (schema: object, version: Options["version"]): object =>
  JSON.parse(
    JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'),
    version === "3.0" ? nested : undefined,
  );

/** In 3.0 a reference has nothing beside it, and only what has a type can be null: such schemas are nested. */
function nested(_: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || "type" in value) return value;
  const { $ref, nullable, anyOf, ...rest } = value as { $ref?: string; nullable?: true; anyOf?: object[] };
  const choices = [...(anyOf ?? ($ref === undefined ? [] : [{ $ref }])), ...(nullable ? [NULL] : [])];
  if (choices.length > 1) return { ...rest, anyOf: choices };
  if (choices.length === 0) return value;
  return Object.keys(rest).length === 0 ? choices[0] : { ...rest, allOf: choices };
}

const NULL = { type: "string", nullable: true, enum: [null] };
