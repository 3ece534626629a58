import { Link } from "wouter-preact";
import { pathTo, useDialog } from "../../address.ts";
import { Button, IconButton } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { ChoiceField, choicesOf, TextField } from "../../parts/fields.tsx";
import { Form, useForm } from "../../parts/form.tsx";
import { change, useRead } from "../../reads.ts";
import { may } from "../../session.ts";
import type { Flag } from "./flag-frame.tsx";

type Dependency = Flag["dependencies"][number];

/** The flags this one requires; it is off for everyone unless they are in the required state. */
export function Dependencies({ flag }: { flag: Flag }) {
  const adding = useDialog("dependency");
  const { project, name, dependencies, children } = flag;
  const isAllowed = may("UPDATE_FEATURE_DEPENDENCY", { project });
  return (
    <div class="chips">
      {dependencies.map((dependency) => (
        <span key={dependency.feature} class="chip">
          <span>
            Requires{" "}
            <Link href={pathTo("projects", project, "features", dependency.feature)}>
              <bdi>{dependency.feature}</bdi>
            </Link>{" "}
            {stateOf(dependency)}
          </span>
          {isAllowed && (
            <IconButton
              icon="close"
              label={`Remove the dependency on ${dependency.feature}`}
              onClick={() =>
                change("DELETE /api/admin/projects/:projectId/features/:child/dependencies/:parent", {
                  params: { projectId: project, child: name, parent: dependency.feature },
                })
              }
            />
          )}
        </span>
      ))}
      {isAllowed && children.length === 0 && dependencies.length === 0 && (
        <Button onClick={() => adding.open()}>Add a dependency</Button>
      )}
      {adding.of && <NewDependency flag={flag} onClose={adding.close} />}
    </div>
  );
}

const stateOf = ({ enabled, variants = [] }: Dependency) =>
  !enabled ? "to be off" : variants.length > 0 ? `to be on with ${variants.join(" or ")}` : "to be on";

function NewDependency({ flag: { project, name }, onClose }: { flag: Flag; onClose(): void }) {
  const params = { projectId: project, child: name };
  const parents =
    useRead("GET /api/admin/projects/:projectId/features/:child/parents", { params }).data ?? [];
  const form = useForm({ feature: "", state: "on", variants: "" }, async ({ feature, state, variants }) => {
    const names = variants.split(",").flatMap((variant) => variant.trim() || []);
    await change("POST /api/admin/projects/:projectId/features/:child/dependencies", {
      params,
      body: { feature, enabled: state === "on", ...(names.length > 0 && { variants: names }) },
    });
    onClose();
  });
  return (
    <Dialog title="Add a dependency" onClose={onClose}>
      <Form form={form} submit="Add the dependency" onCancel={onClose}>
        <ChoiceField
          form={form}
          name="feature"
          label="Flag"
          choices={[["", "choose a flag"], ...choicesOf(parents)]}
        />
        <ChoiceField
          form={form}
          name="state"
          label="Required state"
          choices={[
            ["on", "on"],
            ["off", "off"],
          ]}
        />
        {form.values.state === "on" && (
          <TextField
            form={form}
            name="variants"
            label="Variants"
            hint="Separate names with commas. Leave empty for any variant."
          />
        )}
      </Form>
    </Dialog>
  );
}
