import type { Output } from "../api.ts";
import { counted } from "../format.ts";
import { Button, IconButton, Switch } from "../parts/controls.tsx";
import { FormDialog } from "../parts/dialog.tsx";
import { choice, choicesOf, long, Select, TextInput, Tick, text, valuesOf } from "../parts/fields.tsx";
import { DESCRIPTION, EditableList, NAME } from "../parts/list.tsx";
import { APPROVALS } from "../parts/requests.tsx";
import { rows } from "../parts/rows.tsx";
import { Badge } from "../parts/words.tsx";
import { change, useRead } from "../reads.ts";
import { isAdmin, may } from "../session.ts";

/** The types of tags that flags can have. */
export const TagTypes = () => (
  <EditableList
    title="Tag types"
    noun="tag type"
    read={useRead("GET /api/admin/tag-types")}
    rows={({ tagTypes }) => tagTypes}
    keyOf={({ name }) => name}
    columns={[NAME, DESCRIPTION]}
    may={(action) => may(`${action}_TAG_TYPE`)}
    path="/api/admin/tag-types/:name"
    loss="All tags of this type will be removed from their flags."
    edit={{
      toValues: (now) => valuesOf(now?.tagType, { name: "", description: "" }),
      fields: (_, row) => ({
        name: !row && text("Name", { hint: "2 to 50 URL-friendly characters.", required: true }),
        description: long("Description"),
      }),
    }}
  />
);

type StrategyType = Output<"GET /api/admin/strategies">["strategies"][number];
type ParameterType = StrategyType["parameters"][number]["type"];

/** The types of strategies, built in and custom. */
export const StrategyTypes = () => (
  <EditableList
    title="Strategy types"
    noun="strategy type"
    read={useRead("GET /api/admin/strategies")}
    rows={({ strategies }) => strategies}
    keyOf={({ name }) => name}
    columns={[
      [
        "Name",
        ({ name, editable, deprecated }) => (
          <>
            <bdi>{name}</bdi> {!editable && <Badge>built in</Badge>} {deprecated && <Badge>deprecated</Badge>}
          </>
        ),
        "main",
      ],
      DESCRIPTION,
      ["Parameters", ({ parameters }) => parameters.map(({ name }) => name).join(", ")],
    ]}
    may={(action, row) => row?.editable !== false && may(`${action}_STRATEGY`)}
    path="/api/admin/strategies/:name"
    loss="Existing strategies of this type stay, and applications that implement it still follow them."
    tools={(row) => row.name !== "default" && may("UPDATE_STRATEGY") && <Deprecate row={row} />}
    edit={{
      isWide: true,
      toValues: (now) => ({
        ...valuesOf(now, { name: "", description: "" }),
        parameters: (now?.parameters ?? []).map((one) => valuesOf(one, NO_PARAMETER)) as readonly Parameter[],
      }),
      fields: (_, row) => ({
        name: !row && text("Name", { required: true }),
        description: long("Description"),
        parameters: PARAMETERS,
      }),
      toBody: (values) => ({ ...values, parameters: [...values.parameters] }),
    }}
  />
);

const Deprecate = ({ row: { name, deprecated } }: { row: StrategyType }) => (
  <Button
    onClick={() =>
      change(`POST /api/admin/strategies/:strategyName/${deprecated ? "reactivate" : "deprecate"}`, {
        params: { strategyName: name },
      })
    }
    title={`${deprecated ? "Offer" : "No longer offer"} ${name} for new strategies${deprecated ? " again" : ""}`}
  >
    {deprecated ? "Reactivate" : "Deprecate"}
  </Button>
);

const PARAMETER_TYPES = ["string", "percentage", "list", "number", "boolean"] as const;

const NO_PARAMETER = { name: "", type: "string" as ParameterType, description: "", required: false };
type Parameter = typeof NO_PARAMETER;

const PARAMETERS = rows<Parameter>("Parameters", {
  noun: "parameter",
  fresh: NO_PARAMETER,
  row: ({ name, type, description, required }, set, place) => (
    <>
      <TextInput
        aria-label={`Name of ${place}`}
        placeholder="name"
        value={name}
        onChange={(name) => set({ name })}
      />
      <Select
        label={`Type of ${place}`}
        value={type}
        choices={choicesOf(PARAMETER_TYPES)}
        onChange={(type) => set({ type: type as ParameterType })}
      />
      <TextInput
        aria-label={`Description of ${place}`}
        placeholder="description"
        value={description}
        onChange={(description) => set({ description })}
      />
      <Tick checked={required} onChange={(required) => set({ required })}>
        required
      </Tick>
    </>
  ),
});

/** The environments, in the order in which flags show them. */
export function Environments() {
  const read = useRead("GET /api/admin/environments");
  const names = (read.data?.environments ?? []).map(({ name }) => name);
  return (
    <EditableList
      title="Environments"
      noun="environment"
      read={read}
      rows={({ environments }) => environments}
      keyOf={({ name }) => name}
      columns={[
        NAME,
        ["Type", ({ type }) => type],
        ["Projects", ({ projectCount }) => projectCount, "number"],
        ["Tokens", ({ apiTokenCount }) => apiTokenCount, "number"],
        ["Enabled flags", ({ enabledToggleCount }) => enabledToggleCount, "number"],
        [
          "In new projects",
          ({ name, enabled }) => (
            <Switch
              isOn={enabled}
              label={`${name} in new projects`}
              disabled={!isAdmin()}
              onChange={(isOn) =>
                change(`POST /api/admin/environments/:name/${isOn ? "on" : "off"}`, { params: { name } })
              }
            />
          ),
        ],
        [
          "Asks before changes",
          ({ name, askBeforeChange = false }) => (
            <Switch
              isOn={askBeforeChange}
              label={`${name} asks before changes`}
              disabled={!isAdmin()}
              onChange={(askBeforeChange) =>
                change("PUT /api/admin/environments/update/:name", {
                  params: { name },
                  body: { askBeforeChange },
                })
              }
            />
          ),
        ],
      ]}
      may={(action, row) => isAdmin() && !(action === "DELETE" && row?.protected)}
      path="/api/admin/environments/:name"
      loss={({ projectCount }) =>
        `It will be removed from ${counted(projectCount, "project")}, along with the flags' strategies in it.`
      }
      tools={({ name }) => isAdmin() && <MoveUp name={name} names={names} />}
      editor={({ row, ...dialog }) => (
        <FormDialog
          {...dialog}
          initial={valuesOf(row, { name: "", type: "production", requiredApprovals: 0 })}
          fields={({ values: { type } }) => ({
            name: !row && text("Name", { hint: "The name can't be changed later.", required: true }),
            type: choice("Type", choicesOf([...new Set([...ENVIRONMENT_TYPES, type])])),
            requiredApprovals: choice("Approvals of a change", APPROVALS, {
              hint: "In projects that get the environment from now on.",
            }),
          })}
          send={({ name, ...body }) =>
            row
              ? change("PUT /api/admin/environments/update/:name", { params: { name }, body })
              : change("POST /api/admin/environments", { body: { name, ...body } })
          }
        />
      )}
    />
  );
}

function MoveUp({ name, names }: { name: string; names: readonly string[] }) {
  const index = names.indexOf(name);
  const moved = names.with(index, names[index - 1] ?? name).with(Math.max(index - 1, 0), name);
  const body = Object.fromEntries(moved.map((name, index) => [name, index + 1]));
  return (
    <IconButton
      icon="up"
      label={`Move ${name} up`}
      disabled={index <= 0}
      onClick={() => change("PUT /api/admin/environments/sort-order", { body })}
    />
  );
}

const ENVIRONMENT_TYPES = ["development", "test", "preproduction", "production"];
