import type { Output } from "../api.ts";
import { Button } from "../parts/button.tsx";
import { EditForm, useEdit } from "../parts/edit.tsx";
import { EditDialog, type EditProps } from "../parts/edit-dialog.tsx";
import { EditableList } from "../parts/editable-list.tsx";
import { LongField, TextField } from "../parts/fields.tsx";
import { RowsField } from "../parts/rows.tsx";
import { Badge } from "../parts/words.tsx";
import { change, mapRead, useRead } from "../reads.ts";
import { may } from "../session.ts";

type StrategyType = Output<"GET /api/admin/strategies">["strategies"][number];
type ParameterType = StrategyType["parameters"][number]["type"];

/** The types of strategies, built in and custom. */
export function View() {
  const read = useRead("GET /api/admin/strategies");
  return (
    <EditableList<StrategyType>
      title="Strategy types"
      noun="strategy type"
      read={mapRead(read, ({ strategies }) => strategies)}
      keyOf={({ name }) => name}
      columns={[
        {
          title: "Name",
          kind: "main",
          cell: ({ name, editable, deprecated }) => (
            <>
              <bdi>{name}</bdi> {!editable && <Badge>built in</Badge>}{" "}
              {deprecated && <Badge>deprecated</Badge>}
            </>
          ),
        },
        { title: "Description", cell: ({ description }) => <bdi>{description}</bdi> },
        { title: "Parameters", cell: ({ parameters }) => parameters.map(({ name }) => name).join(", ") },
      ]}
      editor={(edited) => <StrategyTypeEditor {...edited} />}
      mayCreate={may("CREATE_STRATEGY")}
      mayChange={({ editable }) => editable && may("UPDATE_STRATEGY")}
      removal={{
        isAllowed: ({ editable }) => editable && may("DELETE_STRATEGY"),
        remove: ({ name }) => change("DELETE /api/admin/strategies/:name", { params: { name } }),
        lossOf: () =>
          "Existing strategies of this type stay, and applications that implement it still follow them.",
      }}
      tools={(row) => row.name !== "default" && may("UPDATE_STRATEGY") && <Deprecate row={row} />}
    />
  );
}

const Deprecate = ({ row: { name, deprecated } }: { row: StrategyType }) => (
  <Button
    onClick={() =>
      change(`POST /api/admin/strategies/:strategyName/${deprecated ? "reactivate" : "deprecate"}`, {
        params: { strategyName: name },
      })
    }
    title={
      deprecated ? `Offer ${name} for new strategies again` : `No longer offer ${name} for new strategies`
    }
  >
    {deprecated ? "Reactivate" : "Deprecate"}
  </Button>
);

const TYPES: readonly ParameterType[] = ["string", "percentage", "list", "number", "boolean"];

const NO_PARAMETER = { name: "", type: "string" as ParameterType, description: "", required: false };
type Parameter = typeof NO_PARAMETER;

const STRATEGY_TYPE = "/api/admin/strategies/:name";

const StrategyTypeEditor = ({ row, onClose }: { row: StrategyType | undefined; onClose(): void }) => (
  <EditDialog
    title={row ? `Strategy type ${row.name}` : "New strategy type"}
    of={row && [`GET ${STRATEGY_TYPE}`, { params: { name: row.name } }]}
    onClose={onClose}
    isWide
  >
    {(version) => <StrategyTypeForm {...version} onClose={onClose} />}
  </EditDialog>
);

type Now = Output<`GET ${typeof STRATEGY_TYPE}`> | undefined;

const toValues = (now: Now) => ({
  name: now?.name ?? "",
  description: now?.description ?? "",
  parameters: (now?.parameters ?? []).map(
    ({ name, type, description, required = false }): Parameter => ({
      name,
      type,
      description: description ?? "",
      required,
    }),
  ) as readonly Parameter[],
});

function StrategyTypeForm({ now, read, onClose }: EditProps<Now>) {
  const edit = useEdit({
    now,
    read,
    toValues,
    async save({ name, description, parameters }, ifStill) {
      const body = { description, parameters: [...parameters] };
      if (ifStill) await change(`PUT ${STRATEGY_TYPE}`, { params: { name }, body, ifStill });
      else await change("POST /api/admin/strategies", { body: { name, ...body } });
      onClose();
    },
  });
  const { form } = edit;
  return (
    <EditForm edit={edit} submit={now ? "Save" : "Create the strategy type"} onCancel={onClose}>
      {!now && <TextField form={form} name="name" label="Name" isRequired autofocus />}
      <LongField form={form} name="description" label="Description" />
      <RowsField
        form={form}
        name="parameters"
        label="Parameters"
        noun="parameter"
        fresh={NO_PARAMETER}
        children={(one, set, of) => <ParameterFields row={one} set={set} of={of} />}
      />
    </EditForm>
  );
}

interface ParameterProps {
  row: Parameter;
  set(changed: Partial<Parameter>): void;
  of: string;
}

const ParameterFields = ({ row, set, of }: ParameterProps) => (
  <>
    <input
      aria-label={`Name ${of}`}
      placeholder="name"
      value={row.name}
      onInput={(event) => set({ name: event.currentTarget.value })}
    />
    <select
      aria-label={`Type ${of}`}
      value={row.type}
      onChange={(event) => set({ type: event.currentTarget.value as ParameterType })}
    >
      {TYPES.map((type) => (
        <option key={type}>{type}</option>
      ))}
    </select>
    <input
      aria-label={`Description ${of}`}
      placeholder="description"
      value={row.description}
      onInput={(event) => set({ description: event.currentTarget.value })}
    />
    <label>
      <input
        type="checkbox"
        checked={row.required}
        onChange={(event) => set({ required: event.currentTarget.checked })}
      />
      required
    </label>
  </>
);
