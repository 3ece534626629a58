import { Link } from "wouter-preact";
import { pathTo, useDialog } from "../../address.ts";
import { Button, IconButton } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { ChoiceField, choicesOf, TextField } from "../../parts/fields.tsx";
import { Form, useForm } from "../../parts/form.tsx";
import { Avatar, Time } from "../../parts/words.tsx";
import { change, useRead } from "../../reads.ts";
import { may } from "../../session.ts";
import { Dependencies } from "./dependencies.tsx";
import type { Flag } from "./flag-frame.tsx";

/** A flag's description, tags and dependencies, and who created it. */
export const About = ({ flag }: { flag: Flag }) => (
  <div class="about">
    {flag.description && (
      <p>
        <bdi>{flag.description}</bdi>
      </p>
    )}
    <Tags flag={flag} />
    <Dependencies flag={flag} />
    <p class="muted">
      Created <Time at={flag.createdAt} /> by <Avatar url={flag.createdBy.imageUrl} />{" "}
      <bdi>{flag.createdBy.name}</bdi>, last seen <Time at={flag.lastSeenAt} />
      {flag.children.length > 0 && (
        <>
          ; required by{" "}
          {flag.children.map((child, index) => (
            <span key={child}>
              {index > 0 && ", "}
              <Link href={pathTo("projects", flag.project, "features", child)}>
                <bdi>{child}</bdi>
              </Link>
            </span>
          ))}
        </>
      )}
    </p>
  </div>
);

function Tags({ flag: { name, project } }: { flag: Flag }) {
  const adding = useDialog("tag");
  const params = { featureName: name };
  const tags = useRead("GET /api/admin/features/:featureName/tags", { params }).data?.tags ?? [];
  const isAllowed = may("UPDATE_FEATURE", { project });
  return (
    <div class="chips">
      {tags.map(({ type, value }) => (
        <span key={`${type}:${value}`} class="chip">
          <bdi>
            {type}:{value}
          </bdi>
          {isAllowed && (
            <IconButton
              icon="close"
              label={`Remove the tag ${type}:${value}`}
              onClick={() =>
                change("DELETE /api/admin/features/:featureName/tags/:type/:value", {
                  params: { ...params, type, value },
                })
              }
            />
          )}
        </span>
      ))}
      {isAllowed && (
        <Button icon="tag" onClick={() => adding.open()}>
          Add a tag
        </Button>
      )}
      {adding.of && <NewTag feature={name} onClose={adding.close} />}
    </div>
  );
}

function NewTag({ feature, onClose }: { feature: string; onClose(): void }) {
  const types = useRead("GET /api/admin/tag-types").data?.tagTypes ?? [];
  const form = useForm({ type: "simple", value: "" }, async (body) => {
    await change("POST /api/admin/features/:featureName/tags", { params: { featureName: feature }, body });
    onClose();
  });
  return (
    <Dialog title="Add a tag" onClose={onClose}>
      <Form form={form} submit="Add the tag" onCancel={onClose}>
        <ChoiceField
          form={form}
          name="type"
          label="Type"
          choices={choicesOf(types.map(({ name }) => name))}
        />
        <TextField form={form} name="value" label="Value" isRequired autofocus />
      </Form>
    </Dialog>
  );
}
