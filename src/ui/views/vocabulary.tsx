import type { Args } from "../api.ts";
import { counted } from "../format.ts";
import { Dialog, Opener } from "../parts/dialog.tsx";
import { check, choice, long, named, TextInput, text, valuesOf } from "../parts/fields.tsx";
import { DESCRIPTION, EditableList, NAME } from "../parts/list.tsx";
import { type Constraint, cleaned, constraints, rows } from "../parts/rows.tsx";
import { Answer, FlagLink, Nothing } from "../parts/words.tsx";
import { useRead } from "../reads.ts";
import { constraintInWords } from "../sentence.ts";
import { may } from "../session.ts";

const FIELD = "/api/admin/context/:contextField";

/** Fields of the evaluation context, which constraints compare. */
export const ContextFields = () => (
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
      [
        "Used by",
        (field) => (
          <UseCount
            {...field}
            of={field.name}
            read={[`GET ${FIELD}/strategies`, { params: { contextField: field.name } }]}
          />
        ),
      ],
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
);

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

const SEGMENT = "/api/admin/segments/:id";

/** Named sets of constraints that strategies share. */
export function Segments() {
  const projects = useRead("GET /api/admin/projects").data?.projects;
  return (
    <EditableList
      title="Segments"
      noun="segment"
      read={useRead("GET /api/admin/segments")}
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
        [
          "Used by",
          (segment) => (
            <UseCount
              {...segment}
              of={String(segment.id)}
              read={[`GET ${SEGMENT}/strategies`, { params: { id: segment.id } }]}
            />
          ),
        ],
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
  );
}

const EMPTY_SEGMENT = { name: "", description: "", project: "", constraints: [] as readonly Constraint[] };

type Reading = `GET ${typeof FIELD | typeof SEGMENT}/strategies`;

interface UsesProps {
  name: string;
  /** The read of the strategies that use it. */
  read: [key: Reading, ...args: Args<Reading>];
}

interface UseCountProps extends UsesProps {
  /** Its key. */
  of: string;
  usedInFeatures: number;
  usedInProjects: number;
}

/** How many flags use something; a click shows where. */
const UseCount = ({ of, usedInFeatures, usedInProjects, ...uses }: UseCountProps) => (
  <>
    {usedInFeatures === 0 && <span class="muted">not used</span>}
    <Opener
      isAllowed={usedInFeatures > 0}
      label={`${counted(usedInFeatures, "flag")} in ${counted(usedInProjects, "project")}`}
      about={`: where ${uses.name} is used`}
      parameter="uses"
      of={of}
    >
      <Uses {...uses} />
    </Opener>
  </>
);

/** The strategies that use something, each with a link to its flag. */
const Uses = ({ name, read }: UsesProps) => (
  <Dialog title={`Where ${name} is used`}>
    <Answer read={useRead(...read)}>
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
