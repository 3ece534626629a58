import { useEffect, useState } from "preact/hooks";
import { Button } from "./parts/button.tsx";
import { Dialog } from "./parts/dialog.tsx";
import { Icon } from "./parts/icon.tsx";
import { nameOfUser } from "./parts/words.tsx";
import { begin, type Me, noticeSignIn } from "./session.ts";
import { WithLinkOrToken, WithPassword } from "./sign-in-forms.tsx";

/** Asks who is there: alone at first, and above the view where a session has ended in the middle of something. */
export const SignIn = ({ isAgain }: { isAgain: boolean }) => (isAgain ? <Again /> : <First />);

function First() {
  useSignInElsewhere();
  return (
    <main class="lonely">
      <h1>
        <Icon name="flag" /> Flagstone
      </h1>
      <WithPassword />
      <Otherwise openLink={(path) => location.assign(path)} />
    </main>
  );
}

function Again() {
  const other = useSignInElsewhere();
  return (
    <Dialog title="Sign in again">
      <p>Your session has ended. Nothing you typed is lost: sign in to carry on where you were.</p>
      {other && (
        <p role="status">
          <bdi>{nameOfUser(other.user)}</bdi> has signed in in another window.{" "}
          <Button onClick={begin}>Carry on as them</Button>
        </p>
      )}
      <WithPassword />
      <Otherwise openLink={(path) => window.open(path, "_blank", "noopener")} />
    </Dialog>
  );
}

/** Carries on if the user has signed in in another window. @returns somebody else who has */
function useSignInElsewhere(): Me | undefined {
  const [other, setOther] = useState<Me | undefined>();
  useEffect(() => {
    const look = () => document.hidden || void noticeSignIn().then(setOther);
    addEventListener("focus", look);
    document.addEventListener("visibilitychange", look);
    return () => {
      removeEventListener("focus", look);
      document.removeEventListener("visibilitychange", look);
    };
  }, []);
  return other;
}

const Otherwise = ({ openLink }: { openLink(path: string): void }) => (
  <div class="otherwise">
    <p class="muted">
      No password? Whoever runs the server can create a sign-in link: <code>flagstone user link NAME</code>
    </p>
    <details>
      <summary>Sign in with a link or a token</summary>
      <WithLinkOrToken openLink={openLink} />
    </details>
  </div>
);
