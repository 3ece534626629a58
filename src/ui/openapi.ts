/*
 * The server's description of its API, as far as the page shows it.
 */

export interface Description {
  tags: ReadonlyArray<{ name: string }>;
  /** By path and method. */
  paths: Record<string, Record<string, Described>>;
  components: { schemas: Schemas };
}

export interface Described {
  operationId: string;
  summary: string;
  description?: string;
  tags: readonly string[];
  parameters?: readonly Parameter[];
  requestBody?: { content: Record<string, Content> };
  /** By status. */
  responses: Record<string, { description: string; content?: Record<string, Content> }>;
}

export interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required?: boolean;
  description?: string;
  example?: unknown;
  schema: Shape;
}

interface Content {
  schema: Shape;
  example?: unknown;
}

type Schemas = Record<string, Shape>;

/** A schema: the part of JSON Schema that the server uses. */
export interface Shape {
  $ref?: string;
  type?: string;
  const?: unknown;
  enum?: readonly unknown[];
  anyOf?: readonly Shape[];
  allOf?: readonly Shape[];
  items?: Shape;
  properties?: Record<string, Shape>;
  required?: readonly string[];
  additionalProperties?: boolean | Shape;
}

/** An operation with where it is. */
export interface Operation extends Described {
  method: string;
  path: string;
}

/** The operations of each tag, in the order of their paths. */
export function byTag({ tags, paths }: Description): Array<[tag: string, operations: Operation[]]> {
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({
      ...described,
      method: method.toUpperCase(),
      path,
    })),
  );
  return tags.map(({ name }) => [name, all.filter((operation) => operation.tags[0] === name)]);
}

/** A shape as a type in the manner of TypeScript, with the shapes it refers to in place, except within themselves. */
export function toType(shape: Shape, schemas: Schemas, within: readonly string[] = [], indent = ""): string {
  const part = (one: Shape, deeper = indent) => toType(one, schemas, within, deeper);
  const name = shape.$ref?.split("/").at(-1);
  if (name !== undefined)
    return within.includes(name) ? name : toType(schemas[name]!, schemas, [...within, name], indent);
  const all = shape.anyOf ?? shape.allOf;
  if (all) return [...new Set(all.map((one) => part(one)))].join(shape.anyOf ? " | " : " & ");
  if (shape.enum) return shape.enum.map((value) => JSON.stringify(value)).join(" | ");
  if ("const" in shape) return JSON.stringify(shape.const);
  if (shape.items) return `Array<${part(shape.items)}>`;
  const further = typeof shape.additionalProperties === "object" ? shape.additionalProperties : undefined;
  const entries = Object.entries(shape.properties ?? {});
  if (entries.length === 0) return further ? `{ [name]: ${part(further)} }` : (shape.type ?? "any");
  const inner = `${indent}  `;
  const lines = entries.map(([key, value]) => {
    const isRequired = shape.required?.includes(key);
    return `${inner}${key}${isRequired ? "" : "?"}: ${part(value, inner)}\n`;
  });
  return `{\n${lines.join("")}${indent}}`;
}
