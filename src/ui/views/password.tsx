import { useState } from "preact/hooks";
import { Link, useSearch } from "wouter-preact";
import { request } from "../api.ts";
import { nameOf } from "../format.ts";
import { text } from "../parts/fields.tsx";
import { Form, useForm } from "../parts/form.tsx";
import { Answer, Name } from "../parts/words.tsx";
import { useRead } from "../reads.ts";

/** Where password and invitation links lead: sets a password, or signs up a new user, who is then signed in. */
export function SetPassword() {
  const query = new URLSearchParams(useSearch());
  const [username, setUsername] = useState<string>();
  const invite = query.get("invite");
  const finish = (username: string, password: string) =>
    request("POST /auth/simple/login", { body: { username, password } }).then(
      () => location.assign(document.baseURI),
      () => setUsername(username),
    );
  if (username !== undefined)
    return (
      <>
        <h1>Done</h1>
        <p>
          Your password is set. <Link href="/">Sign in</Link> as <Name>{username}</Name>.
        </p>
      </>
    );
  return invite === null ? (
    <ResetPassword token={query.get("token") ?? ""} onDone={finish} />
  ) : (
    <SignUp token={invite} onDone={finish} />
  );
}

interface Props {
  token: string;
  onDone(username: string, password: string): Promise<void>;
}

const RULES = `10 characters or more, with upper-case and lower-case letters, a number and a special character; or 20 or
  more of any kind. No character three times in a row.`;

const PASSWORD = { hint: RULES, type: "password", autocomplete: "new-password", required: true } as const;

function ResetPassword({ token, onDone }: Props) {
  const read = useRead("GET /auth/reset/validate", { query: { token } });
  const form = useForm({ password: "" }, async ({ password }) => {
    await request("POST /auth/reset/password", { body: { token, password } });
    await onDone(signInName(read.data), password);
  });
  const fields = { password: text("Password", { ...PASSWORD, autofocus: true }) };
  return (
    <Answer read={read}>
      {(user) => (
        <>
          <h1>
            Set a password for <bdi>{nameOf(user)}</bdi>
          </h1>
          <p>
            You sign in as <Name>{signInName(user)}</Name>.
          </p>
          <Form form={form} fields={fields} submit="Set the password" />
        </>
      )}
    </Answer>
  );
}

/** What a user types to sign in. */
const signInName = (user: { username: string | null; email?: string | undefined } | undefined) =>
  user?.username || user?.email || "";

const SIGN_UP = {
  username: text("Username", { autocomplete: "username", required: true, autofocus: true }),
  email: text("E-mail address", { type: "email", required: true }),
  name: text("Name", { required: true }),
  password: text("Password", PASSWORD),
};

function SignUp({ token, onDone }: Props) {
  const read = useRead("GET /invite/:token/validate", { params: { token } });
  const form = useForm({ username: "", email: "", name: "", password: "" }, async (body) => {
    await request("POST /invite/:token/signup", { params: { token }, body });
    await onDone(body.username, body.password);
  });
  return (
    <Answer read={read}>
      {() => (
        <>
          <h1>You have been invited</h1>
          <Form form={form} fields={SIGN_UP} submit="Sign up" />
        </>
      )}
    </Answer>
  );
}
