import { signal } from "@preact/signals";
import { type ComponentType, render } from "preact";
import { useEffect, useErrorBoundary } from "preact/hooks";
import { Route, Router, Switch, useLocation } from "wouter-preact";
import { BASE, navigateUnlessTyped } from "./address.ts";
import { isLost, isSignInNeeded } from "./api.ts";
import { Help, Menu, watchKeys } from "./menu.tsx";
import { Messages } from "./parts/controls.tsx";
import { DiscardQuestion } from "./parts/dialog.tsx";
import { DeadEnd, Failure, Nothing, Working } from "./parts/words.tsx";
import { followEvents, isBusy, refresh, refusals, watchConnection } from "./reads.ts";
import { idOf, me, readMe } from "./session.ts";
import { SignIn } from "./sign-in.tsx";
import { PUBLIC_VIEWS, VIEWS, type View } from "./views.ts";

/** The whole page: sign-in, the menu, and the view at the current address. */
const App = () => (
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
    setTimeout(() => VIEWS.forEach(load), PRELOAD_AFTER_MS);
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

const WAYS_ON = [
  ["/", "Home"],
  ["/projects", "All projects"],
] as const;

function NotFound() {
  useEffect(() => {
    document.title = "Not found · Flagstone";
  }, []);
  return (
    <DeadEnd title="Not found" links={WAYS_ON}>
      <Nothing>There is no page at this address.</Nothing>
    </DeadEnd>
  );
}

/** When the files of all views are loaded, so that they open instantly. */
const PRELOAD_AFTER_MS = 2000;

const loaded = signal<ReadonlyMap<View, ComponentType>>(new Map());

/** A view, once its file has loaded. */
function LoadedView({ view }: { view: View }) {
  useEffect(() => {
    document.title = `${view.title} · Flagstone`;
    void load(view);
  }, [view, isLost.value]);
  const Shown = loaded.value.get(view);
  return Shown ? <Shown /> : <Working />;
}

async function load(view: View) {
  if (loaded.value.has(view)) return;
  try {
    const component = await view.load();
    loaded.value = new Map([...loaded.value, [view, component]]);
  } catch {
    isLost.value = true; // retried when the server is back
  }
}

render(<App />, document.getElementById("app")!);
