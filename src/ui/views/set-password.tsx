import { useState } from "preact/hooks";
import { Link, useSearch } from "wouter-preact";
import { request } from "../api.ts";
import { nameOf } from "../format.ts";
import { Answer } from "../parts/answer.tsx";
import { TextField } from "../parts/fields.tsx";
import { Form, type FormState, useForm } from "../parts/form.tsx";
import { useRead } from "../reads.ts";

/** Where password and invitation links lead: sets a password, or signs up a new user, who is then signed in. */
export function View() {
  const query = new URLSearchParams(useSearch());
  const [username, setUsername] = useState<string | undefined>();
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
          Your password is set. <Link href="/">Sign in</Link> as{" "}
          <strong>
            <bdi>{username}</bdi>
          </strong>
          .
        </p>
      </>
    );
  return invite === null ? (
    <SetPassword token={query.get("token") ?? ""} onDone={finish} />
  ) : (
    <SignUp token={invite} onDone={finish} />
  );
}

interface Props {
  token: string;
  onDone(username: string, password: string): Promise<void>;
}

function SetPassword({ token, onDone }: Props) {
  const read = useRead("GET /auth/reset/validate", { query: { token } });
  const form = useForm({ password: "" }, async ({ password }) => {
    await request("POST /auth/reset/password", { body: { token, password } });
    await onDone(signInName(read.data), password);
  });
  return (
    <Answer read={read}>
      {(user) => (
        <>
          <h1>
            Set a password for <bdi>{nameOf(user)}</bdi>
          </h1>
          <p>
            You sign in as{" "}
            <strong>
              <bdi>{signInName(user)}</bdi>
            </strong>
            .
          </p>
          <Form form={form} submit="Set the password">
            <NewPassword form={form} autofocus />
          </Form>
        </>
      )}
    </Answer>
  );
}

/** What a user types to sign in. */
const signInName = (user: { username: string | null; email?: string | undefined } | undefined) =>
  user?.username || user?.email || "";

function SignUp({ token, onDone }: Props) {
  const read = useRead("GET /invite/:token/validate", { params: { token } });
  const form = useForm({ username: "", email: "", name: "", password: "" }, async (body) => {
    await request("POST /invite/:token/signup", { params: { token }, body });
    await onDone(body.username, body.password);
  });
  return (
    <Answer read={{ ...read, data: read.error || read.isLoading ? undefined : true }}>
      {() => (
        <>
          <h1>You have been invited</h1>
          <Form form={form} submit="Sign up">
            <TextField
              form={form}
              name="username"
              label="Username"
              autocomplete="username"
              isRequired
              autofocus
            />
            <TextField form={form} name="email" label="E-mail address" type="email" isRequired />
            <TextField form={form} name="name" label="Name" isRequired />
            <NewPassword form={form} />
          </Form>
        </>
      )}
    </Answer>
  );
}

const RULES = `10 characters or more, with upper-case and lower-case letters, a number and a special character; or 20 or
  more of any kind. No character three times in a row.`;

const NewPassword = <T extends { password: string }>({
  form,
  autofocus = false,
}: {
  form: FormState<T>;
  autofocus?: boolean;
}) => (
  <TextField
    form={form as unknown as FormState<{ password: string }>}
    name="password"
    label="Password"
    hint={RULES}
    type="password"
    autocomplete="new-password"
    isRequired
    autofocus={autofocus}
  />
);
