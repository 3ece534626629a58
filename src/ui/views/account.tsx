import type { Output } from "../api.ts";
import { fullTime } from "../format.ts";
import { tell } from "../messages.ts";
import { Button, IconButton } from "../parts/controls.tsx";
import { text } from "../parts/fields.tsx";
import { Form, useForm } from "../parts/form.tsx";
import { SIGN_IN_COLUMNS } from "../parts/sign-ins.tsx";
import { TableSection } from "../parts/table.tsx";
import { createPasswordLink, PersonalTokens } from "../parts/tokens.tsx";
import { Answer, Badge, Heading, Time } from "../parts/words.tsx";
import { change, useRead } from "../reads.ts";
import { isAdmin, ownUser } from "../session.ts";
import { SecondFactor } from "./second-factor.tsx";

/** The user's own account: role and projects, tokens, password and sessions. */
export function Account() {
  const profile = useRead("GET /api/admin/user/profile");
  const tokens = useRead("GET /api/admin/user/tokens");
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
        <Answer read={tokens}>
          {({ pats }) => (
            <PersonalTokens
              tokens={pats}
              create={(body) => change("POST /api/admin/user/tokens", { body })}
              revoke={(id) => change("DELETE /api/admin/user/tokens/:id", { params: { id } })}
            />
          )}
        </Answer>
      </section>
      <section>
        <h2>Password</h2>
        <Password />
      </section>
      {ownUser() && <SecondFactor />}
      <Sessions />
      <SignIns />
    </>
  );
}

const EMPTY = { oldPassword: "", password: "", confirmPassword: "" };

const NEW = { type: "password", autocomplete: "new-password", required: true } as const;

const PASSWORDS = {
  oldPassword: text("Current password", { ...NEW, autocomplete: "current-password" }),
  password: text("New password", NEW),
  confirmPassword: text("Repeat the new password", NEW),
};

function Password() {
  const form = useForm(EMPTY, async (body) => {
    await change("POST /api/admin/user/change-password", { body });
    form.replace(EMPTY);
    tell("Password changed. You have been signed out everywhere else.");
  });
  return (
    <>
      <Form form={form} fields={PASSWORDS} submit="Change the password" />
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

const SESSIONS = "/api/admin/user/sessions";

/** Where the user is signed in, to sign out from elsewhere; a token has no sessions. */
const Sessions = () => (
  <Answer read={useRead(`GET ${SESSIONS}`)}>
    {({ sessions }) => (
      <TableSection
        title="Sessions"
        rows={sessions}
        keyOf={({ id }) => id}
        columns={[
          ["Signed in", ({ createdAt }) => <Time at={createdAt} />, "main"],
          ["Expires", ({ expiresAt }) => <Time at={expiresAt} />],
          ["Actions", (session) => <End session={session} />, "tools"],
        ]}
      >
        {sessions.length > 1 && (
          <Button onClick={() => change(`DELETE ${SESSIONS}`)}>Sign out everywhere else</Button>
        )}
      </TableSection>
    )}
  </Answer>
);

/** How the user signed in lately, and who may have tried to. */
const SignIns = () => (
  <Answer read={useRead("GET /api/admin/user/logins")}>
    {({ events }) => (
      <TableSection title="Latest sign-ins" rows={events} keyOf={({ id }) => id} columns={SIGN_IN_COLUMNS} />
    )}
  </Answer>
);

type Session = Output<`GET ${typeof SESSIONS}`>["sessions"][number];

const End = ({ session: { id, isCurrent, createdAt } }: { session: Session }) =>
  isCurrent ? (
    <Badge tone="good">this session</Badge>
  ) : (
    <IconButton
      icon="remove"
      label={`End the session of ${fullTime(createdAt)}`}
      onClick={() => change(`DELETE ${SESSIONS}/:id`, { params: { id } })}
    />
  );
