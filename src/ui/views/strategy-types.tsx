import type { Output } from "../api.ts";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { EditableList } from "../parts/editable-list.tsx";
import { LongField, TextField } from "../parts/fields.tsx";
import { Form, useForm } from "../parts/form.tsx";
import { RowsField } from "../parts/rows.tsx";
import { Badge } from "../parts/words.tsx";
import { change, mapRead, useRead } from "../reads.ts";
import { may } from "../session.ts";

type StrategyType = Output<"GET /api/admin/strategies">["strategies"][number];
type ParameterType = StrategyType["parameters"][number]["type"];

/** What strategies there are to turn flags on by. */
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
        lossOf: () => "Strategies of this type stay; applications that implement it still follow them.",
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

function StrategyTypeEditor({ row, onClose }: { row: StrategyType | undefined; onClose(): void }) {
  const initial = {
    name: row?.name ?? "",
    description: row?.description ?? "",
    parameters: (row?.parameters ?? []).map(
      ({ name, type, description, required = false }): Parameter => ({
        name,
        type,
        description: description ?? "",
        required,
      }),
    ) as readonly Parameter[],
  };
  const form = useForm(initial, async ({ name, description, parameters }) => {
    const body = { description, parameters: [...parameters] };
    if (row) await change("PUT /api/admin/strategies/:name", { params: { name }, body });
    else await change("POST /api/admin/strategies", { body: { name, ...body } });
    onClose();
  });
  return (
    <Dialog title={row ? `Strategy type ${row.name}` : "New strategy type"} onClose={onClose} isWide>
      <Form form={form} submit={row ? "Save" : "Create the strategy type"} onCancel={onClose}>
        {!row && <TextField form={form} name="name" label="Name" isRequired autofocus />}
        <LongField form={form} name="description" label="Description" />
        <RowsField
          form={form}
          name="parameters"
          label="Parameters"
          noun="parameter"
          fresh={NO_PARAMETER}
          children={(one, set, of) => <ParameterFields row={one} set={set} of={of} />}
        />
      </Form>
    </Dialog>
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
