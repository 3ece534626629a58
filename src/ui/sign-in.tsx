import { Dialog } from "./parts/dialog.tsx";
import { TextField } from "./parts/fields.tsx";
import { Form, useForm } from "./parts/form.tsx";
import { Icon } from "./parts/icon.tsx";
import { signIn } from "./session.ts";

/** Asks who is there: alone at first, and above the view where a session has ended in the middle of something. */
export const SignIn = ({ isAgain }: { isAgain: boolean }) =>
  isAgain ? (
    <Dialog title="Sign in again">
      <p>Your session has ended. Nothing you typed is lost: sign in to carry on where you were.</p>
      <WithPassword />
    </Dialog>
  ) : (
    <main class="lonely">
      <h1>
        <Icon name="flag" /> Flagstone
      </h1>
      <WithPassword />
      <p class="muted">
        No password? Whoever runs the server can create a sign-in link: <code>flagstone user link NAME</code>
      </p>
    </main>
  );

function WithPassword() {
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
