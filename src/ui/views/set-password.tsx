import { useState } from "preact/hooks";
import { Link, useSearch } from "wouter-preact";
import { request } from "../api.ts";
import { nameOf } from "../format.ts";
import { Answer } from "../parts/answer.tsx";
import { TextField } from "../parts/fields.tsx";
import { Form, useForm } from "../parts/form.tsx";
import { useRead } from "../reads.ts";

/** Where password and invitation links lead: sets a password, or signs up a new user. */
export function View() {
  const query = new URLSearchParams(useSearch());
  const [isDone, setDone] = useState(false);
  const invite = query.get("invite");
  if (isDone)
    return (
      <>
        <h1>Done</h1>
        <p>
          Your password is set. <Link href="/">Sign in</Link>
        </p>
      </>
    );
  return invite === null ? (
    <SetPassword token={query.get("token") ?? ""} onDone={() => setDone(true)} />
  ) : (
    <SignUp token={invite} onDone={() => setDone(true)} />
  );
}

interface Props {
  token: string;
  onDone(): void;
}

function SetPassword({ token, onDone }: Props) {
  const read = useRead("GET /auth/reset/validate", { query: { token } });
  const form = useForm({ password: "" }, async ({ password }) => {
    await request("POST /auth/reset/password", { body: { token, password } });
    onDone();
  });
  return (
    <Answer read={read}>
      {(user) => (
        <>
          <h1>
            Set a password for <bdi>{nameOf(user)}</bdi>
          </h1>
          <Form form={form} submit="Set the password">
            <TextField
              form={form}
              name="password"
              label="Password"
              type="password"
              autocomplete="new-password"
              isRequired
            />
          </Form>
        </>
      )}
    </Answer>
  );
}

function SignUp({ token, onDone }: Props) {
  const read = useRead("GET /invite/:token/validate", { params: { token } });
  const form = useForm({ username: "", email: "", name: "", password: "" }, async (body) => {
    await request("POST /invite/:token/signup", { params: { token }, body });
    onDone();
  });
  return (
    <Answer read={{ ...read, data: read.error || read.isLoading ? undefined : true }}>
      {() => (
        <>
          <h1>You have been invited</h1>
          <Form form={form} submit="Sign up">
            <TextField form={form} name="username" label="Username" autocomplete="username" isRequired />
            <TextField form={form} name="email" label="E-mail address" type="email" isRequired />
            <TextField form={form} name="name" label="Name" isRequired />
            <TextField
              form={form}
              name="password"
              label="Password"
              type="password"
              autocomplete="new-password"
              isRequired
            />
          </Form>
        </>
      )}
    </Answer>
  );
}
