import { useEffect, useErrorBoundary } from "preact/hooks";
import { Route, Router, Switch, useLocation } from "wouter-preact";
import { BASE } from "./address.ts";
import { isLost, watchConnection } from "./connection.ts";
import { Help } from "./help.tsx";
import { watchKeys } from "./keys.ts";
import { followEvents } from "./live.ts";
import { LoadedView, loadAll } from "./loaded-view.tsx";
import { Menu } from "./menu.tsx";
import { navigateUnlessTyped } from "./navigation.ts";
import { Failure, Nothing, Working } from "./parts/answer.tsx";
import { DeadEnd } from "./parts/dead-end.tsx";
import { DiscardQuestion } from "./parts/discard.tsx";
import { Messages } from "./parts/messages.tsx";
import { isBusy, refresh, refusals } from "./reads.ts";
import { idOf, me, readMe } from "./session.ts";
import { isSignInNeeded } from "./session-end.ts";
import { SignIn } from "./sign-in.tsx";
import { PUBLIC_VIEWS, VIEWS } from "./views.ts";

/** The whole page: sign-in, the menu, and the view at the current address. */
export const App = () => (
  <Router base={BASE} aroundNav={navigateUnlessTyped}>
    <Switch>
      {PUBLIC_VIEWS.map((view) => (
        <Route key={view.path} path={view.path}>
          <main class="standalone">
            <LoadedView view={view} />
          </main>
        </Route>
      ))}
      <Route>
        <SignedIn />
      </Route>
    </Switch>
    <DiscardQuestion />
    <Messages />
  </Router>
);

/**
 * The part that needs a sign-in. If the session ends, the view stays as it was behind the sign-in dialog; if a different
 * user continues it, nothing that the first one saw or typed is left.
 */
function SignedIn() {
  const [, navigate] = useLocation();
  const isSignedIn = me.value !== undefined && !isSignInNeeded.value;
  useEffect(() => (isSignedIn ? followEvents() : undefined), [isSignedIn]);
  useEffect(() => {
    if (refusals.value > 0) void readMe();
  }, [refusals.value]);
  useEffect(() => {
    void readMe();
    watchConnection(() => void refresh());
    loadAll();
    return watchKeys(navigate);
  }, []);
  return (
    <>
      {me.value ? <Frame key={idOf(me.value)} /> : !isSignInNeeded.value && <Working />}
      {isSignInNeeded.value && <SignIn isAgain={me.value !== undefined} />}
    </>
  );
}

const Frame = () => (
  <div class="frame">
    <Menu />
    <main id="main" tabIndex={-1} aria-busy={isBusy}>
      {isLost.value && (
        <p class="lost" role="alert">
          The server can't be reached. Retrying every two seconds; nothing you typed is lost.
        </p>
      )}
      <Views />
    </main>
    <Help />
  </div>
);

function Views() {
  const [path] = useLocation();
  const [error, reset] = useErrorBoundary();
  useEffect(reset, [path]);
  if (error)
    return (
      <DeadEnd title="Something went wrong" links={[["/", "Home"]]}>
        <Failure error={error} />
      </DeadEnd>
    );
  return (
    <Switch>
      {VIEWS.map((view) => (
        <Route key={view.path} path={view.path}>
          <LoadedView view={view} />
        </Route>
      ))}
      <Route>
        <NotFound />
      </Route>
    </Switch>
  );
}

function NotFound() {
  useEffect(() => {
    document.title = "Not found · Flagstone";
  }, []);
  return (
    <DeadEnd
      title="Not found"
      links={[
        ["/", "Home"],
        ["/projects", "All projects"],
      ]}
    >
      <Nothing>There is no page at this address.</Nothing>
    </DeadEnd>
  );
}
