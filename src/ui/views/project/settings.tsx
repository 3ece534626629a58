import { useLocation } from "wouter-preact";
import { useDialog } from "../../address.ts";
import { counted } from "../../format.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { change } from "../../reads.ts";
import { may } from "../../session.ts";
import { Description, type SettingsProps } from "./description.tsx";
import { Naming } from "./naming.tsx";
import { ProjectFrame } from "./project-frame.tsx";

/** A project's name, mode and naming pattern, and the actions to archive or delete it. */
export const View = () => (
  <ProjectFrame>
    {(project, id) => (
      <div class="columns">
        <Description key={id} project={project} id={id} />
        <div>
          <Naming key={id} project={project} id={id} />
          {id !== "default" && may("DELETE_PROJECT", { project: id }) && (
            <ArchiveOrDelete project={project} id={id} />
          )}
        </div>
      </div>
    )}
  </ProjectFrame>
);

function ArchiveOrDelete({ project: { name, archivedAt, featureTypeCounts }, id }: SettingsProps) {
  const archiving = useDialog("archive");
  const removing = useDialog("remove");
  const open = [archiving, removing].find(({ of }) => of);
  const [, navigate] = useLocation();
  const flags = featureTypeCounts.reduce((sum, { count }) => sum + count, 0);
  const params = { projectId: id };
  const archive = async () => {
    await change("POST /api/admin/projects/archive/:projectId", { params });
    navigate("/projects", { replace: true });
  };
  const remove = async () => {
    await change("DELETE /api/admin/projects/:projectId", { params });
    navigate("/projects", { replace: true });
  };
  return (
    <section>
      <h2>Archive or delete</h2>
      <div class="actions">
        {archivedAt ? (
          <Button onClick={() => change("POST /api/admin/projects/revive/:projectId", { params })}>
            Revive
          </Button>
        ) : (
          <Button icon="archive" kind="danger" onClick={() => archiving.open()}>
            Archive the project
          </Button>
        )}
        <Button icon="remove" kind="danger" onClick={() => removing.open()}>
          Delete permanently
        </Button>
      </div>
      {open && flags > 0 && (
        <Dialog title={`${name} still has ${counted(flags, "flag")}`} onClose={open.close}>
          Archive its flags first: a project that has any can't be archived or deleted.
        </Dialog>
      )}
      {flags === 0 && archiving.of && (
        <Confirm
          title={`Archive ${name}?`}
          action="Archive the project"
          onConfirm={archive}
          onClose={archiving.close}
        >
          It will no longer be listed. You can revive the project later.
        </Confirm>
      )}
      {flags === 0 && removing.of && (
        <Confirm
          title={`Delete ${name} permanently?`}
          action="Delete the project"
          onConfirm={remove}
          onClose={removing.close}
        >
          The project, its archived flags and its members' roles will be deleted. Its events stay in the log.
        </Confirm>
      )}
    </section>
  );
}
