import { useEffect, useState } from "preact/hooks";
import { BASE } from "./address.ts";
import { RequestError, requestOnce, waysIn } from "./api.ts";
import { nameOfUser } from "./format.ts";
import { Button } from "./parts/controls.tsx";
import { Dialog } from "./parts/dialog.tsx";
import { text } from "./parts/fields.tsx";
import { Form, useForm } from "./parts/form.tsx";
import { type AppKey, CODE, CodesForRecovery, KeyForApp } from "./parts/second-factor.tsx";
import { Failure, Icon } from "./parts/words.tsx";
import { begin, noticeSignIn, otherUser, signInWithToken } from "./session.ts";

/** The sign-in form: a page of its own at first, a dialog over the view if the session ends while it is open. */
export function SignIn({ isAgain }: { isAgain: boolean }) {
  useSignInElsewhere();
  useEffect(() => {
    if (isAgain) void noticeSignIn(); // a proxy in front may sign in by itself
  }, [isAgain]);
  return isAgain ? (
    <SignInDialog />
  ) : (
    <main class="standalone">
      <h1>
        <Icon name="flag" /> Flagstone
      </h1>
      <Forms openLink={(path) => location.assign(path)} />
    </main>
  );
}

/** Finds out who is signed in when the window is returned to, in case no other window has said so. */
function useSignInElsewhere() {
  useEffect(() => {
    const check = () => document.hidden || void noticeSignIn();
    addEventListener("focus", check);
    document.addEventListener("visibilitychange", check);
    return () => {
      removeEventListener("focus", check);
      document.removeEventListener("visibilitychange", check);
    };
  }, []);
}

function SignInDialog() {
  const other = otherUser.value;
  return (
    <Dialog title="Sign in again">
      <p role="status">
        {other ? (
          <>
            <bdi>{nameOfUser(other.user)}</bdi> has signed in from another window.
          </>
        ) : (
          "Your session has ended."
        )}{" "}
        Nothing you typed is lost: sign in to continue where you left off.
      </p>
      {other && (
        <p>
          Continuing as them drops what you typed. <Button onClick={begin}>Continue as them</Button>
        </p>
      )}
      <Forms openLink={(path) => window.open(path, "_blank", "noopener")} />
    </Dialog>
  );
}

const LINK = /\/auth\/link\/(\w+)$/;

const WITH_PASSWORD = {
  username: text("Username or e-mail address", { autocomplete: "username", required: true, autofocus: true }),
  password: text("Password", { type: "password", autocomplete: "current-password", required: true }),
};

/** Asks for a code only if the server does, or shows how to set up the app that the user's role requires. */
function WithPassword() {
  const [key, setKey] = useState<AppKey>();
  const [asksCode, askCode] = useState(false);
  const [codes, setCodes] = useState<readonly string[]>();
  const form = useForm({ username: "", password: "", code: "" }, async ({ code, ...user }) => {
    try {
      const body = { ...user, ...(asksCode && { code }) };
      const { recoveryCodes } = await requestOnce("POST /auth/simple/login", { body });
      if (recoveryCodes) return setCodes(recoveryCodes);
      await begin();
    } catch (error) {
      if (asksCode || !(error instanceof RequestError) || !ASKS.includes(error.name)) throw error;
      if (error.name === "SecondFactorSetupRequired")
        setKey(await requestOnce("POST /auth/simple/second-factor", { body: user }));
      askCode(true);
    }
  });
  if (codes)
    return (
      <>
        <CodesForRecovery codes={codes} />
        <Button kind="main" onClick={begin}>
          Continue
        </Button>
      </>
    );
  return (
    <>
      {key && <KeyForApp {...key} />}
      <Form form={form} fields={{ ...WITH_PASSWORD, code: asksCode && CODE }} submit="Sign in" />
    </>
  );
}

const ASKS = ["SecondFactorRequired", "SecondFactorSetupRequired"];

const WITH_LINK_OR_TOKEN = {
  pasted: text("Sign-in link or API token", {
    hint: "A token is never stored: it is forgotten when the page is reloaded.",
    type: "password",
    required: true,
  }),
};

/** @param openLink opens the path of a sign-in link, which responds with a page of its own */
function Forms({ openLink }: { openLink(path: string): void }) {
  const withLinkOrToken = useForm({ pasted: "" }, async ({ pasted }) => {
    const [, secret] = LINK.exec(pasted.trim()) ?? [];
    if (secret === undefined) await signInWithToken(pasted.trim());
    else openLink(`${BASE}/auth/link/${secret}`);
  });
  const { defaultHidden = false, options = [] } = waysIn.value;
  const problem = new URLSearchParams(location.search).get("errorMsg");
  const here = problem === null ? location.pathname + location.search : `${BASE}/`;
  return (
    <>
      {problem !== null && <Failure error={{ message: problem }} />}
      {options.map(({ message, path }) => (
        <a key={path} class="button main" href={`${path}?${new URLSearchParams({ redirect: here })}`}>
          {message}
        </a>
      ))}
      {!defaultHidden && <WithPassword />}
      <div class="other-ways">
        <p class="muted">
          No password? Whoever runs the server can create a sign-in link:{" "}
          <code>flagstone user link NAME</code>
        </p>
        <details>
          <summary>Sign in with a link or a token</summary>
          <Form form={withLinkOrToken} fields={WITH_LINK_OR_TOKEN} submit="Continue" />
        </details>
      </div>
    </>
  );
}
