import { BASE } from "./address.ts";
import { TextField } from "./parts/fields.tsx";
import { Form, useForm } from "./parts/form.tsx";
import { signIn, signInWithToken } from "./session.ts";

export function WithPassword() {
  const form = useForm({ username: "", password: "" }, ({ username, password }) =>
    signIn(username, password),
  );
  return (
    <Form form={form} submit="Sign in">
      <TextField
        form={form}
        name="username"
        label="Username or e-mail address"
        autocomplete="username"
        isRequired
        autofocus
      />
      <TextField
        form={form}
        name="password"
        label="Password"
        type="password"
        autocomplete="current-password"
        isRequired
      />
    </Form>
  );
}

const LINK = /\/auth\/link\/(\w+)$/;

/** @param openLink opens the path of a sign-in link, which responds with a page of its own */
export function WithLinkOrToken({ openLink }: { openLink(path: string): void }) {
  const form = useForm({ pasted: "" }, async ({ pasted }) => {
    const [, secret] = LINK.exec(pasted.trim()) ?? [];
    if (secret === undefined) await signInWithToken(pasted.trim());
    else openLink(`${BASE}/auth/link/${secret}`);
  });
  return (
    <Form form={form} submit="Continue">
      <TextField
        form={form}
        name="pasted"
        label="Sign-in link or API token"
        hint="A token is never stored: it is forgotten when the page is reloaded."
        type="password"
        isRequired
      />
    </Form>
  );
}
