import { useDialog } from "../../address.ts";
import { Answer } from "../../parts/answer.tsx";
import { Switch } from "../../parts/button.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Table } from "../../parts/table.tsx";
import { change, useRead } from "../../reads.ts";
import { may } from "../../session.ts";
import { DefaultStrategy } from "./default-strategy.tsx";
import { type Project, ProjectFrame } from "./project-frame.tsx";

/** The environments of a project, in which its flags can be turned on. */
export const View = () => (
  <ProjectFrame>{(project, id) => <Environments project={project} id={id} />}</ProjectFrame>
);

function Environments({ project, id }: { project: Project; id: string }) {
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
      ? change("POST /api/admin/projects/:projectId/environments", { params, body: { environment } })
      : removing.open(environment);
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
              { title: "Environment", kind: "main", cell: ({ name }) => <bdi>{name}</bdi> },
              { title: "Type", cell: ({ type }) => type },
              {
                title: "In this project",
                cell: ({ name }) => (
                  <Switch
                    isOn={own.has(name)}
                    label={`${name} in this project`}
                    disabled={!may("UPDATE_PROJECT", { project: id })}
                    onChange={(isOn) => toggle(name, isOn)}
                  />
                ),
              },
              {
                title: "Default strategy",
                kind: "main",
                cell: ({ name }) =>
                  defaults.data &&
                  own.has(name) && (
                    <DefaultStrategy project={id} environment={name} strategy={defaultIn(name)} />
                  ),
              },
            ]}
          />
        )}
      </Answer>
      {removed && (
        <Confirm
          title={`Remove ${removed} from the project?`}
          action="Remove"
          onConfirm={() =>
            change("DELETE /api/admin/projects/:projectId/environments/:environment", {
              params: { ...params, environment: removed },
            })
          }
          onClose={removing.close}
        >
          This project's flags will be off in {removed}, and lose their own variants there. Their strategies
          return with the environment.
        </Confirm>
      )}
    </>
  );
}
