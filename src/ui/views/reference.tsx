import { signal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { useFilters } from "../address.ts";
import { RequestError, requestAny } from "../api.ts";
import { byTag, type Description, type Operation, toType } from "../openapi.ts";
import { type Fields, long, text } from "../parts/fields.tsx";
import { Search } from "../parts/filters.tsx";
import { Form, useForm } from "../parts/form.tsx";
import { Snippet } from "../parts/tokens.tsx";
import { Answer, Heading, Nothing } from "../parts/words.tsx";
import type { Read } from "../reads.ts";

/** Read once: it doesn't change while the server runs, and takes it a moment. */
const description = signal<Read<Description>>({ data: undefined, error: undefined });

async function readDescription() {
  const settle = (settled: Partial<Read<Description>>) => {
    description.value = { ...description.value, ...settled };
  };
  await requestAny("GET /docs/openapi.json").then(
    (data) => settle({ data: data as Description }),
    (error) => settle({ error }),
  );
}

/** Every operation of the API: what it takes and answers, and a form that sends it. */
export function Reference() {
  const [filters, setFilters] = useFilters({ query: "", operation: "" });
  useEffect(() => void (description.value.data ?? readDescription()), []);
  return (
    <>
      <Heading title="API">
        <Search label="Search operations" />
        <a class="button" href="docs/openapi.json">
          OpenAPI 3.1
        </a>
        <a class="button" href="docs/openapi.json?version=3.0">
          3.0
        </a>
      </Heading>
      <Answer read={description.value} rows={20}>
        {(data) => (
          <Operations {...filters} description={data} onOpen={(operation) => setFilters({ operation })} />
        )}
      </Answer>
    </>
  );
}

interface OperationsProps {
  description: Description;
  query: string;
  /** The ID of the one that is open. */
  operation: string;
  onOpen(operation: string): void;
}

function Operations({ description, query, operation, onOpen }: OperationsProps) {
  const words = query.toLowerCase().split(/\s+/);
  const isFound = ({ method, path, summary, operationId }: Operation) =>
    words.every((word) => `${method} ${path} ${summary} ${operationId}`.toLowerCase().includes(word));
  const groups = byTag(description).map(([tag, all]) => [tag, all.filter(isFound)] as const);
  const found = groups.filter(([, operations]) => operations.length > 0);
  if (found.length === 0) return <Nothing>No operation matches.</Nothing>;
  return found.map(([tag, operations]) => (
    <section key={tag} class="card operations">
      <h2>{tag}</h2>
      {operations.map((one) => (
        <details
          key={one.operationId}
          id={one.operationId}
          open={one.operationId === operation}
          onToggle={({ currentTarget }) => currentTarget.open && onOpen(one.operationId)}
        >
          <summary>
            <code>
              {one.method} {one.path}
            </code>{" "}
            <small>{one.summary}</small>
          </summary>
          {one.operationId === operation && <Details operation={one} description={description} />}
        </details>
      ))}
    </section>
  ));
}

interface DetailsProps {
  operation: Operation;
  description: Description;
}

/** The media type of what a body or a response contains; it has at most one. */
const contentOf = (of: { content?: Operation["responses"][string]["content"] } | undefined) =>
  Object.entries(of?.content ?? {})[0];

function Details({ operation, description: { components } }: DetailsProps) {
  const [, body] = contentOf(operation.requestBody) ?? [];
  const [status, success] = Object.entries(operation.responses)[0]!;
  const [mediaType, response] = contentOf(success) ?? [];
  const refusals = Object.entries(operation.responses).slice(1);
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => element.current?.parentElement?.scrollIntoView({ block: "nearest" }), []);
  return (
    <div ref={element} class="columns">
      <div>
        {operation.description && <p>{operation.description.replaceAll("`", "")}</p>}
        {body && <Snippet label="Body" text={toType(body.schema, components.schemas)} />}
        <p>
          {status} {success.description}
          {mediaType && <small> {mediaType}</small>}
        </p>
        {response && <Snippet label="Response" text={toType(response.schema, components.schemas)} />}
        <small>
          Refused with {refusals.map(([code, { description }]) => `${code} ${description}`).join(", ")}
        </small>
      </div>
      {mediaType !== "text/event-stream" && <Try key={operation.operationId} operation={operation} />}
    </div>
  );
}

/** How a value is written in a form. */
const written = (value: unknown) =>
  value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value, undefined, 2);

/** A form that sends the request as the signed-in user, with the examples of its parameters to begin with. */
function Try({ operation: { method, path, parameters = [], requestBody } }: { operation: Operation }) {
  const [answer, setAnswer] = useState<string>();
  const [, body] = contentOf(requestBody) ?? [];
  const examples = parameters.map(({ name, required, example }) => [name, required ? written(example) : ""]);
  const initial: Record<string, string> = {
    ...Object.fromEntries(examples),
    ...(body && { body: written(body.example) }),
  };
  const form = useForm(initial, async (values) => {
    const of = (place: string) =>
      Object.fromEntries(
        parameters.filter(({ in: at }) => at === place).map(({ name }) => [name, values[name] ?? ""]),
      );
    const input = { params: of("path"), query: of("query"), ...(body && { body: JSON.parse(values.body!) }) };
    const key = `${method} ${path.replaceAll(/\{(\w+)\}/g, ":$1")}`;
    setAnswer(await requestAny(key, input).then(written, inWords));
  });
  const fields: Fields<typeof initial> = {
    ...Object.fromEntries(
      parameters
        .filter(({ in: at }) => at !== "header")
        .map(({ name, required = false, description }) => [
          name,
          text(name, { required, hint: description }),
        ]),
    ),
    ...(body && { body: long("Body", { rows: 8 }) }),
  };
  return (
    <div>
      <Form form={form} fields={fields} submit="Send the request" />
      <div aria-live="polite">
        {answer !== undefined && <Snippet label="Answer" text={answer || "(no body)"} />}
      </div>
    </div>
  );
}

/** What the server has refused; other errors are the form's to show. */
function inWords(error: unknown): string {
  if (error instanceof RequestError && error.status > 0)
    return `${error.status} ${error.name}: ${error.message}`;
  throw error;
}
