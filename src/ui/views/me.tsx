import { useState } from "preact/hooks";
import { Answer } from "../parts/answer.tsx";
import { Button } from "../parts/button.tsx";
import { TextField } from "../parts/fields.tsx";
import { Form, useForm } from "../parts/form.tsx";
import { tell } from "../parts/messages.tsx";
import { PersonalTokens } from "../parts/personal-tokens.tsx";
import { Secret } from "../parts/secret.tsx";
import { Heading } from "../parts/words.tsx";
import { change, useRead } from "../reads.ts";
import { isAdmin, ownUser } from "../session.ts";
import { OwnSessions } from "./own-sessions.tsx";
import { createPasswordLink } from "./people/password-link.ts";

/** The user's own account: role and projects, tokens, and password. */
export function View() {
  const profile = useRead("GET /api/admin/user/profile");
  return (
    <>
      <Heading title="Your account" />
      <Answer read={profile}>
        {({ rootRole, projects }) => (
          <p>
            Your root role is <strong>{rootRole.name}</strong>.{" "}
            {projects.length > 0 && (
              <>
                You are a member of <bdi>{projects.join(", ")}</bdi>.
              </>
            )}
          </p>
        )}
      </Answer>
      <section>
        <h2>Personal access tokens</h2>
        <OwnTokens />
      </section>
      <section>
        <h2>Password</h2>
        <Password />
      </section>
      <OwnSessions />
    </>
  );
}

function OwnTokens() {
  const read = useRead("GET /api/admin/user/tokens");
  const [secret, setSecret] = useState("");
  return (
    <>
      {secret !== "" && <Secret value={secret} label="Your new token." />}
      <Answer read={read}>
        {({ pats }) => (
          <PersonalTokens
            tokens={pats}
            create={async (body) =>
              setSecret((await change("POST /api/admin/user/tokens", { body })).secret ?? "")
            }
            revoke={(id) => change("DELETE /api/admin/user/tokens/:id", { params: { id } })}
          />
        )}
      </Answer>
    </>
  );
}

const EMPTY = { oldPassword: "", password: "", confirmPassword: "" };

function Password() {
  const form = useForm(EMPTY, async (body) => {
    await change("POST /api/admin/user/change-password", { body });
    form.replace(EMPTY);
    tell("Password changed. You have been signed out everywhere else.");
  });
  return (
    <>
      <Form form={form} submit="Change the password">
        <TextField
          form={form}
          name="oldPassword"
          label="Current password"
          type="password"
          autocomplete="current-password"
          isRequired
        />
        <TextField
          form={form}
          name="password"
          label="New password"
          type="password"
          autocomplete="new-password"
          isRequired
        />
        <TextField
          form={form}
          name="confirmPassword"
          label="Repeat the new password"
          type="password"
          autocomplete="new-password"
          isRequired
        />
      </Form>
      <PasswordLink onOpen={() => form.replace(EMPTY)} />
    </>
  );
}

/** For those who signed in by a link and have no password, or have forgotten it. */
function PasswordLink({ onOpen }: { onOpen(): void }) {
  const user = ownUser();
  if (!user || !isAdmin())
    return <p class="muted">No password yet? An administrator can create a link for you to set one.</p>;
  const open = async () => {
    onOpen();
    location.assign(new URL(await createPasswordLink(user), document.baseURI));
  };
  return (
    <p class="muted">
      No password yet, or forgotten it? <Button onClick={open}>Set a new password</Button>
    </p>
  );
}
