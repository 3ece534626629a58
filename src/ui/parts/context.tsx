import { toLocal } from "../format.ts";
import { useRead } from "../reads.ts";
import { type Choice, choice, choicesOf, type Fields, long, Select, TextInput } from "./fields.tsx";
import { type FormState, problemAt } from "./form.tsx";
import { rows } from "./rows.tsx";

/** A field of an evaluation context, and its value as text. */
interface Given {
  name: string;
  value: string;
}

/** A context as it is typed: field by field, or as JSON. */
export type ContextInput = { as: "fields" | "json"; given: readonly Given[]; json: string };

/** A context, of which other fields than those of SDKs may be anything. */
export type Context = Record<string, unknown> & { appName: string };

/** What applications that don't say otherwise are called. */
const APP = "playground";

/** @throws RequestError at the field with what isn't JSON, or no object */
export function toContext({ as, given, json }: ContextInput): Context {
  const fields = as === "json" ? parsed(json) : fieldsOf(given);
  return { appName: APP, ...fields };
}

const fieldsOf = (given: readonly Given[]) =>
  Object.fromEntries(given.filter(({ value }) => value !== "").map(({ name, value }) => [name, value]));

function parsed(json: string): Record<string, unknown> {
  try {
    const value = JSON.parse(json || "{}");
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  } catch (error) {
    throw problemAt("json", `is not JSON: ${(error as Error).message}`);
  }
  throw problemAt("json", 'must be an object, such as {"userId": "7"}');
}

function isObject(json: string): boolean {
  try {
    return parsed(json) !== undefined;
  } catch {
    return false;
  }
}

/** How a context is first typed; with the user, if there is nothing else. */
export const toInput = (context: Record<string, unknown>, as: string): ContextInput => ({
  as: as === "json" ? "json" : "fields",
  given: givenIn(context),
  json: JSON.stringify(context, null, 2),
});

function givenIn({ properties, appName, ...fields }: Record<string, unknown>): Given[] {
  const app = appName === APP ? {} : { appName };
  const given = Object.entries({ ...(properties as object), ...app, ...fields })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ({ name, value: String(value) }));
  return given.length > 0 ? given : [{ name: "userId", value: "" }];
}

/** What SDKs know besides the context fields of the server. */
const OF_SDKS = ["userId", "sessionId", "remoteAddress", "currentTime", "appName"];

const AS: ReadonlyArray<Choice<ContextInput["as"]>> = [
  ["fields", "fields"],
  ["json", "JSON"],
];

/** The controls of a context; changing how it is typed keeps what is typed. */
export function useContextFields<T extends ContextInput>({
  latest,
  set,
}: FormState<T>): Fields<ContextInput> {
  const known = useRead("GET /api/admin/context", { query: { include: "project" } }).data ?? [];
  const names = [...new Set([...OF_SDKS, ...known.map(({ name }) => name)])];
  const { as } = latest();
  const convert = (as: ContextInput["as"]) => {
    const { given, json } = latest();
    if (as === "json") set("json", JSON.stringify(fieldsOf(given), null, 2) as T["json"]);
    else if (isObject(json)) set("given", givenIn(parsed(json)) as T["given"]);
  };
  return {
    as: choice("Context as", AS, { onChoose: convert }),
    json: as === "json" && long("Context", { rows: 8, hint: 'An object, such as {"userId": "7"}.' }),
    given:
      as === "fields" &&
      rows<Given>("Context", {
        noun: "field",
        fresh: { name: names[1]!, value: "" },
        row: (field, set, place) => (
          <>
            <Select
              label={`Name of ${place}`}
              value={field.name}
              choices={choicesOf([...new Set([...names, field.name])])}
              onChange={(name) => set({ name, value: "" })}
            />
            <Value
              {...field}
              legal={known.find(({ name }) => name === field.name)?.legalValues ?? []}
              onChange={(value) => set({ value })}
            />
          </>
        ),
      }),
  };
}

interface ValueProps extends Given {
  legal: ReadonlyArray<{ value: string }>;
  onChange(value: string): void;
}

/** A value of a field: one of the legal ones, a time, or any text. */
function Value({ name, value, legal, onChange }: ValueProps) {
  if (legal.length > 0)
    return (
      <Select
        label={`Value of ${name}`}
        value={value}
        choices={[
          ["", "none"],
          ...choicesOf([...new Set([...legal.map(({ value }) => value), value])].filter(Boolean)),
        ]}
        onChange={onChange}
      />
    );
  if (name !== "currentTime")
    return <TextInput aria-label={`Value of ${name}`} value={value} onChange={onChange} />;
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <>
      <TextInput
        type="datetime-local"
        aria-label={`Value of ${name}, in the time zone ${zone}`}
        value={toLocal(new Date(value))}
        onChange={(local) => onChange(local && new Date(local).toISOString())}
      />
      <small>{zone}</small>
    </>
  );
}
