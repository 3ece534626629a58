import { useEffect } from "preact/hooks";
import { Button } from "./parts/button.tsx";
import { Dialog } from "./parts/dialog.tsx";
import { Icon } from "./parts/icon.tsx";
import { nameOfUser } from "./parts/words.tsx";
import { begin, noticeSignIn, otherUser } from "./session.ts";
import { WithLinkOrToken, WithPassword } from "./sign-in-forms.tsx";

/** The sign-in form: a page of its own at first, a dialog over the view if the session ends while it is open. */
export const SignIn = ({ isAgain }: { isAgain: boolean }) => (isAgain ? <SignInDialog /> : <SignInPage />);

function SignInPage() {
  useSignInElsewhere();
  return (
    <main class="standalone">
      <h1>
        <Icon name="flag" /> Flagstone
      </h1>
      <WithPassword />
      <OtherWays openLink={(path) => location.assign(path)} />
    </main>
  );
}

function SignInDialog() {
  const other = otherUser.value;
  useSignInElsewhere();
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
      <WithPassword />
      <OtherWays openLink={(path) => window.open(path, "_blank", "noopener")} />
    </Dialog>
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

const OtherWays = ({ openLink }: { openLink(path: string): void }) => (
  <div class="other-ways">
    <p class="muted">
      No password? Whoever runs the server can create a sign-in link: <code>flagstone user link NAME</code>
    </p>
    <details>
      <summary>Sign in with a link or a token</summary>
      <WithLinkOrToken openLink={openLink} />
    </details>
  </div>
);
