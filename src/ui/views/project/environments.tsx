import { useDialog } from "../../address.ts";
import type { Output } from "../../api.ts";
import { showError } from "../../messages.ts";
import { Switch } from "../../parts/controls.tsx";
import { Closing, Confirm, FormDialog, Opener } from "../../parts/dialog.tsx";
import { Select } from "../../parts/fields.tsx";
import { APPROVALS } from "../../parts/requests.tsx";
import { Table } from "../../parts/table.tsx";
import { Answer } from "../../parts/words.tsx";
import { change, useRead } from "../../reads.ts";
import { strategyInWords } from "../../sentence.ts";
import { may } from "../../session.ts";
import { newDraft, toBody, toDraft, useStrategyFields } from "../flag/strategy.tsx";
import { inProject, PROJECT } from "./frame.tsx";

/** The environments of a project, in which its flags can be turned on. */
export const Environments = inProject(({ project, id }) => {
  const read = useRead("GET /api/admin/environments");
  const removing = useDialog("remove");
  const defaults = useRead("GET /api/admin/environments/project/:projectId", { params: { projectId: id } });
  const defaultIn = (environment: string) =>
    defaults.data?.environments.find(({ name }) => name === environment)?.defaultStrategy;
  const own = new Set(project.environments.map(({ environment }) => environment));
  const removed = own.has(removing.of ?? "") ? removing.of : undefined;
  const params = { projectId: id };
  const toggle = (environment: string, isOn: boolean) =>
    isOn
      ? change(`POST ${PROJECT}/environments`, { params, body: { environment } })
      : removing.open(environment);
  const remove = (environment: string) =>
    change(`DELETE ${PROJECT}/environments/:environment`, { params: { ...params, environment } });
  return (
    <>
      <Answer read={read}>
        {({ environments }) => (
          <Table
            caption="Environments"
            rows={environments}
            keyOf={({ name }) => name}
            empty="There are no environments."
            columns={[
              ["Environment", ({ name }) => <bdi>{name}</bdi>, "main"],
              ["Type", ({ type }) => type],
              [
                "In this project",
                ({ name }) => (
                  <Switch
                    isOn={own.has(name)}
                    label={`${name} in this project`}
                    disabled={!may("UPDATE_PROJECT", { project: id })}
                    onChange={(isOn) => toggle(name, isOn)}
                  />
                ),
              ],
              [
                "Approvals of a change",
                ({ name }) => own.has(name) && <Approvals project={id} environment={name} />,
              ],
              [
                "Default strategy",
                ({ name }) =>
                  defaults.data &&
                  own.has(name) && (
                    <DefaultStrategy project={id} environment={name} strategy={defaultIn(name)} />
                  ),
                "main",
              ],
            ]}
          />
        )}
      </Answer>
      {removed && (
        <Closing.Provider value={removing.close}>
          <Confirm
            title={`Remove ${removed} from the project?`}
            action="Remove"
            onConfirm={() => remove(removed)}
          >
            This project's flags will be off in {removed}, and lose their own variants there. Their strategies
            return with the environment.
          </Confirm>
        </Closing.Provider>
      )}
    </>
  );
});

/** How many others must approve a change of a flag there. */
function Approvals({ project, environment }: { project: string; environment: string }) {
  const params = { projectId: project };
  const config = useRead(`GET ${PROJECT}/change-requests/config`, { params }).data;
  const required = config?.find((one) => one.environment === environment)?.requiredApprovals ?? 0;
  const set = (requiredApprovals: number) =>
    change(`PUT ${PROJECT}/environments/:environment/change-requests/config`, {
      params: { ...params, environment },
      body: { changeRequestsEnabled: requiredApprovals > 0, requiredApprovals },
    }).catch(showError);
  if (!may("UPDATE_PROJECT", { project }) && !may("PROJECT_CHANGE_REQUEST_WRITE", { project }))
    return required;
  return (
    <Select
      label={`Approvals of a change in ${environment}`}
      value={required}
      choices={APPROVALS}
      onChange={set}
    />
  );
}

type Environment = Output<"GET /api/admin/environments/project/:projectId">["environments"][number];

interface DefaultStrategyProps {
  project: string;
  environment: string;
  /** Undefined if the project has set none: flags are then on for everyone. */
  strategy: NonNullable<Environment["defaultStrategy"]> | undefined;
}

/** The strategy a flag without any gets when it is turned on in an environment, in words, with a button to edit it. */
function DefaultStrategy({ project, environment, strategy }: DefaultStrategyProps) {
  const segments = useRead("GET /api/admin/segments").data?.segments ?? [];
  const names = segments.filter(({ id }) => strategy?.segments?.includes(id)).map(({ name }) => name);
  const isAllowed =
    may("UPDATE_PROJECT", { project }) || may("PROJECT_DEFAULT_STRATEGY_WRITE", { project, environment });
  return (
    <>
      {strategy ? strategyInWords(strategy, names) : "Everyone"}{" "}
      <Opener
        isAllowed={isAllowed}
        isBare
        icon="edit"
        label={`Edit the default strategy in ${environment}`}
        parameter="edit"
        of={environment}
      >
        <Editor project={project} environment={environment} strategy={strategy} />
      </Opener>
    </>
  );
}

function Editor({ project, environment, strategy }: DefaultStrategyProps) {
  const params = { projectId: project, environment };
  return (
    <FormDialog
      title={`Default strategy in ${environment}`}
      isWide
      above={
        <p>
          Flags without strategies get this one when they are turned on here. Other flags stay as they are.
        </p>
      }
      initial={strategy ? toDraft(strategy) : newDraft("")}
      fields={useStrategyFields(project)}
      submit="Save the default strategy"
      send={(draft) => {
        const body = { ...toBody(draft), name: "flexibleRollout" as const }; // the only strategy allowed as a default
        return change(`POST ${PROJECT}/environments/:environment/default-strategy`, { params, body });
      }}
    />
  );
}
