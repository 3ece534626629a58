import { useDialog } from "../../address.ts";
import { Answer } from "../../parts/answer.tsx";
import { Button, IconButton } from "../../parts/button.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Table } from "../../parts/table.tsx";
import { Time } from "../../parts/words.tsx";
import { change, useRead } from "../../reads.ts";
import { may } from "../../session.ts";
import { ProjectFrame } from "./project-frame.tsx";

/** The archived flags of a project, to revive or delete permanently. */
export const View = () => <ProjectFrame>{(_, id) => <Archive project={id} />}</ProjectFrame>;

function Archive({ project }: { project: string }) {
  const params = { projectId: project };
  const read = useRead("GET /api/admin/archive/features/:projectId", { params });
  const removing = useDialog("remove");
  const removed = read.data?.features.find(({ name }) => name === removing.of)?.name;
  const revive = (name: string) =>
    change("POST /api/admin/projects/:projectId/revive", { params, body: { features: [name] } });
  const remove = (name: string) =>
    change("POST /api/admin/projects/:projectId/delete", { params, body: { features: [name] } });
  return (
    <>
      <Answer read={read}>
        {({ features }) => (
          <Table
            caption="Archived flags"
            rows={features}
            keyOf={({ name }) => name}
            empty="No archived flags."
            columns={[
              { title: "Flag", kind: "main", cell: ({ name }) => <bdi>{name}</bdi> },
              { title: "Type", cell: ({ type }) => type },
              { title: "Archived", cell: ({ archivedAt }) => <Time at={archivedAt} /> },
              {
                title: "Actions",
                kind: "tools",
                cell: ({ name }) => (
                  <div class="tools">
                    {may("UPDATE_FEATURE", { project }) && (
                      <Button onClick={() => revive(name)}>Revive</Button>
                    )}
                    {may("DELETE_FEATURE", { project }) && (
                      <IconButton
                        icon="remove"
                        label={`Delete ${name} permanently`}
                        onClick={() => removing.open(name)}
                      />
                    )}
                  </div>
                ),
              },
            ]}
          />
        )}
      </Answer>
      {removed && (
        <Confirm
          title={`Delete ${removed} permanently?`}
          action="Delete permanently"
          onConfirm={() => remove(removed)}
          onClose={removing.close}
        >
          The flag and its strategies will be deleted. Its events stay in the log.
        </Confirm>
      )}
    </>
  );
}
