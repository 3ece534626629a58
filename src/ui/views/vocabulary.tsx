import { useDialog } from "../address.ts";
import type { Output } from "../api.ts";
import { counted } from "../format.ts";
import { Closing, Dialog } from "../parts/dialog.tsx";
import { check, choice, long, named, TextInput, text, valuesOf } from "../parts/fields.tsx";
import { DESCRIPTION, EditableList, NAME } from "../parts/list.tsx";
import { type Constraint, cleaned, constraints, rows } from "../parts/rows.tsx";
import { Answer, FlagLink, Nothing } from "../parts/words.tsx";
import { type Read, useRead } from "../reads.ts";
import { constraintInWords } from "../sentence.ts";
import { may } from "../session.ts";

const FIELD = "/api/admin/context/:contextField";

/** Fields of the evaluation context, which constraints compare. */
export function ContextFields() {
  const uses = useDialog("uses");
  return (
    <>
      <EditableList
        title="Context fields"
        noun="context field"
        read={useRead("GET /api/admin/context", { query: { include: "project" } })}
        rows={(fields) => fields}
        keyOf={({ name }) => name}
        columns={[
          NAME,
          DESCRIPTION,
          ["Values", ({ legalValues }) => legalValues.map(({ value }) => value).join(", ") || "any"],
          ["Stickiness", ({ stickiness }) => (stickiness ? "yes" : "no")],
          ["Project", ({ project }) => <bdi>{project ?? "all"}</bdi>],
          ["Used by", (field) => <UseCount {...field} onOpen={() => uses.open(field.name)} />],
        ]}
        may={(action) => may(`${action}_CONTEXT_FIELD`)}
        path={FIELD}
        loss="Constraints will no longer be able to use it."
        edit={{
          toValues: (now) => ({
            ...valuesOf(now, EMPTY_FIELD),
            legalValues: (now?.legalValues ?? []).map((one) => ({ ...NO_VALUE, ...one })) as LegalValues,
          }),
          fields: (_, row) => ({
            name: !row && text("Name", { required: true }),
            description: long("Description"),
            stickiness: check("Available for stickiness", {
              hint: "Rollouts can use this field: the same value always gets the same result.",
            }),
            legalValues: LEGAL_VALUES,
          }),
          below: () => <p class="muted">If no values are listed, constraints accept any value.</p>,
          toBody: (values) => ({ ...values, legalValues: [...values.legalValues] }),
        }}
      />
      {uses.of && (
        <Closing.Provider value={uses.close}>
          <FieldUses name={uses.of} />
        </Closing.Provider>
      )}
    </>
  );
}

const EMPTY_FIELD = { name: "", description: "", stickiness: false };

const NO_VALUE = { value: "", description: "" };
type LegalValues = readonly (typeof NO_VALUE)[];

const LEGAL_VALUES = rows<typeof NO_VALUE>("Values", {
  noun: "value",
  fresh: NO_VALUE,
  row: ({ value, description }, set, place) => (
    <>
      <TextInput aria-label={`Value of ${place}`} value={value} onChange={(value) => set({ value })} />
      <TextInput
        aria-label={`Description of ${place}`}
        placeholder="description"
        value={description}
        onChange={(description) => set({ description })}
      />
    </>
  ),
});

function FieldUses({ name }: { name: string }) {
  const read = useRead(`GET ${FIELD}/strategies`, { params: { contextField: name } });
  return <Uses name={name} read={read} />;
}

const SEGMENT = "/api/admin/segments/:id";

type Segment = Output<"GET /api/admin/segments">["segments"][number];

/** Named sets of constraints that strategies share. */
export function Segments() {
  const uses = useDialog("uses");
  const read = useRead("GET /api/admin/segments");
  const used = read.data?.segments.find(({ id }) => String(id) === uses.of);
  const projects = useRead("GET /api/admin/projects").data?.projects;
  return (
    <>
      <EditableList
        title="Segments"
        noun="segment"
        read={read}
        rows={({ segments }) => segments}
        keyOf={({ id }) => id}
        nameOf={({ name }) => name}
        columns={[
          NAME,
          [
            "Constraints",
            ({ constraints }) => <bdi>{constraints.map(constraintInWords).join(", and ")}</bdi>,
            "main",
          ],
          ["Project", ({ project }) => <bdi>{project ?? "all"}</bdi>],
          ["Used by", (segment) => <UseCount {...segment} onOpen={() => uses.open(String(segment.id))} />],
        ]}
        may={(action, row) =>
          may(`${action}_SEGMENT`) || may("UPDATE_PROJECT_SEGMENT", { project: row?.project })
        }
        path={SEGMENT}
        obstacle={({ usedInFeatures: flags }) =>
          flags ? `It is used by ${counted(flags, "flag")}: remove it from there first.` : ""
        }
        loss="No flag uses it. Its constraints will be lost."
        edit={{
          isWide: true,
          toValues: (now) => valuesOf(now, EMPTY_SEGMENT),
          fields: () => ({
            name: text("Name", { required: true }),
            description: long("Description", { rows: 2 }),
            project: choice("Project", [["", "all"], ...named(projects)]),
            constraints,
          }),
          toBody: ({ constraints, ...rest }) => ({ ...rest, constraints: cleaned(constraints) }),
        }}
      />
      {used && (
        <Closing.Provider value={uses.close}>
          <SegmentUses segment={used} />
        </Closing.Provider>
      )}
    </>
  );
}

const EMPTY_SEGMENT = { name: "", description: "", project: "", constraints: [] as readonly Constraint[] };

function SegmentUses({ segment: { id, name } }: { segment: Segment }) {
  const read = useRead(`GET ${SEGMENT}/strategies`, { params: { id } });
  return <Uses name={name} read={read} />;
}

interface UseCountProps {
  name: string;
  usedInFeatures: number;
  usedInProjects: number;
  onOpen(): void;
}

/** How many flags use something; a click shows where. */
const UseCount = ({ name, usedInFeatures, usedInProjects, onOpen }: UseCountProps) =>
  usedInFeatures === 0 ? (
    <span class="muted">not used</span>
  ) : (
    <button type="button" onClick={onOpen}>
      {counted(usedInFeatures, "flag")} in {counted(usedInProjects, "project")}
      <span class="unseen">: where {name} is used</span>
    </button>
  );

interface UsesProps {
  /** The name of what is used. */
  name: string;
  read: Read<Output<`GET ${typeof FIELD}/strategies`>>;
}

/** The strategies that use something, each with a link to its flag. */
const Uses = ({ name, read }: UsesProps) => (
  <Dialog title={`Where ${name} is used`}>
    <Answer read={read}>
      {({ strategies }) =>
        strategies.length === 0 ? (
          <Nothing>No strategy uses it.</Nothing>
        ) : (
          <ul class="plain">
            {strategies.map(({ id, projectId, featureName, environment, strategyName }) => (
              <li key={id}>
                <FlagLink project={projectId} name={featureName} />{" "}
                <small>
                  {strategyName} in {environment}
                </small>
              </li>
            ))}
          </ul>
        )
      }
    </Answer>
  </Dialog>
);
