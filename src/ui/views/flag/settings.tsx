import { useLocation } from "wouter-preact";
import { pathTo, useDialog } from "../../address.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { CheckField, ChoiceField, TextField } from "../../parts/fields.tsx";
import { Form, useForm } from "../../parts/form.tsx";
import { change, useRead } from "../../reads.ts";
import { may } from "../../session.ts";
import { Description } from "./description.tsx";
import { type Flag, FlagFrame } from "./flag-frame.tsx";

const FEATURE = "/api/admin/projects/:projectId/features/:featureName";

const paramsOf = ({ project, name }: Flag) => ({ projectId: project, featureName: name });

/** The settings of a flag, and its actions. */
export const View = () => (
  <FlagFrame>
    {(flag) => (
      <div class="columns">
        <Description key={flag.name} flag={flag} />
        <Actions flag={flag} />
      </div>
    )}
  </FlagFrame>
);

/** Copy, move, complete and archive. */
function Actions({ flag }: { flag: Flag }) {
  const copying = useDialog("copy");
  const moving = useDialog("move");
  const completing = useDialog("complete");
  const archiving = useDialog("archive");
  const { project } = flag;
  const isCompleted = flag.lifecycle?.stage === "completed";
  return (
    <section>
      <h2>Actions</h2>
      <div class="actions">
        {may("CREATE_FEATURE", { project }) && <Button onClick={() => copying.open()}>Copy</Button>}
        {may("MOVE_FEATURE_TOGGLE", { project }) && <Button onClick={() => moving.open()}>Move</Button>}
        {may("UPDATE_FEATURE", { project }) &&
          (isCompleted ? (
            <Button
              onClick={() => change(`POST ${FEATURE}/lifecycle/uncomplete`, { params: paramsOf(flag) })}
            >
              Reopen
            </Button>
          ) : (
            <Button onClick={() => completing.open()}>Mark as completed</Button>
          ))}
        {may("DELETE_FEATURE", { project }) && (
          <Button kind="danger" icon="archive" onClick={() => archiving.open()}>
            Archive
          </Button>
        )}
      </div>
      {copying.of && <Clone flag={flag} onClose={copying.close} />}
      {moving.of && <Move flag={flag} onClose={moving.close} />}
      {completing.of && <Complete flag={flag} onClose={completing.close} />}
      {archiving.of && <Archive flag={flag} onClose={archiving.close} />}
    </section>
  );
}

interface ActionProps {
  flag: Flag;
  onClose(): void;
}

function Clone({ flag, onClose }: ActionProps) {
  const [, navigate] = useLocation();
  const form = useForm({ name: `${flag.name}-copy`, replaceGroupId: true }, async (body) => {
    const { name } = await change(`POST ${FEATURE}/clone`, { params: paramsOf(flag), body });
    navigate(pathTo("projects", flag.project, "features", name), { replace: true });
  });
  return (
    <Dialog title={`Copy ${flag.name}`} onClose={onClose}>
      <Form form={form} submit="Create the copy" onCancel={onClose}>
        <TextField form={form} name="name" label="Name of the copy" isRequired autofocus />
        <CheckField
          form={form}
          name="replaceGroupId"
          label="New group ID: rollouts of the copy reach different users"
        />
      </Form>
    </Dialog>
  );
}

function Move({ flag, onClose }: ActionProps) {
  const [, navigate] = useLocation();
  const projects = useRead("GET /api/admin/projects").data?.projects ?? [];
  const others = projects.filter(({ id }) => id !== flag.project);
  const form = useForm({ newProjectId: "" }, async (body) => {
    await change(`POST ${FEATURE}/changeProject`, { params: paramsOf(flag), body });
    navigate(pathTo("projects", body.newProjectId, "features", flag.name), { replace: true });
  });
  return (
    <Dialog title={`Move ${flag.name}`} onClose={onClose}>
      <Form form={form} submit="Move the flag" onCancel={onClose}>
        <ChoiceField
          form={form}
          name="newProjectId"
          label="To project"
          choices={[["", "choose a project"], ...others.map(({ id, name }) => [id, name] as const)]}
        />
      </Form>
    </Dialog>
  );
}

function Complete({ flag, onClose }: ActionProps) {
  const form = useForm({ status: "kept", statusValue: "" }, async ({ status, statusValue }) => {
    const kept = status === "kept" ? "kept" : "discarded";
    const body = { status: kept, ...(statusValue !== "" && { statusValue }) } as const;
    await change(`POST ${FEATURE}/lifecycle/complete`, { params: paramsOf(flag), body });
    onClose();
  });
  return (
    <Dialog title={`Mark ${flag.name} as completed`} onClose={onClose}>
      <Form form={form} submit="Mark as completed" onCancel={onClose}>
        <ChoiceField
          form={form}
          name="status"
          label="Outcome"
          choices={[
            ["kept", "kept: the feature stays, for everyone"],
            ["discarded", "discarded: the feature was dropped"],
          ]}
        />
        <TextField
          form={form}
          name="statusValue"
          label="Variant that was kept"
          hint="If the flag has variants."
        />
      </Form>
    </Dialog>
  );
}

function Archive({ flag, onClose }: ActionProps) {
  const [, navigate] = useLocation();
  const archive = async () => {
    await change(`DELETE ${FEATURE}`, { params: paramsOf(flag) });
    navigate(pathTo("projects", flag.project), { replace: true });
  };
  return (
    <Confirm title={`Archive ${flag.name}?`} action="Archive the flag" onConfirm={archive} onClose={onClose}>
      Applications that use it will fall back to their default. You can revive it from the project's archive.
    </Confirm>
  );
}
