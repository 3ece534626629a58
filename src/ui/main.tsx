import { effect } from "@preact/signals";
import { type ComponentChildren, type ComponentType, render } from "preact";
import { useEffect, useErrorBoundary } from "preact/hooks";
import { Route, Router, Switch, useLocation } from "wouter-preact";
import { asOf, BASE, navigateUnlessTyped } from "./address.ts";
import { isLost, isSignInNeeded, shownTime } from "./api.ts";
import { Help, isFinding, Menu, watchKeys } from "./menu.tsx";
import { Messages } from "./parts/controls.tsx";
import { ChangeQuestion, DiscardQuestion } from "./parts/dialog.tsx";
import { later } from "./parts/later.tsx";
import { PastNotice } from "./parts/past.tsx";
import { DeadEnd, Failure, Nothing, Working } from "./parts/words.tsx";
import { followEvents, isBusy, isSettled, refresh, refusals, watchConnection } from "./reads.ts";
import { idOf, me, readMe } from "./session.ts";
import { SignIn } from "./sign-in.tsx";
import "./undo.ts";
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
    <ChangeQuestion />
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
    return watchKeys(navigate);
  }, []);
  return (
    <>
      {me.value ? <Frame key={idOf(me.value)} /> : !isSignInNeeded.value && <Views Each={Loading} />}
      {isSignInNeeded.value && <OpenOr>{<SignIn isAgain={me.value !== undefined} />}</OpenOr>}
    </>
  );
}

/** A view that needs no sign-in, or else the form to sign in. */
const OpenOr = ({ children }: { children: ComponentChildren }) => (
  <Switch>
    {VIEWS.filter(({ isOpen }) => isOpen && me.value === undefined).map((view) => (
      <Route key={view.path} path={view.path}>
        <main>
          <LoadedView view={view} />
        </main>
      </Route>
    ))}
    <Route>{children}</Route>
  </Switch>
);

function Frame() {
  const isPast = asOf.value !== "" || shownTime.value !== undefined;
  return (
    <div class={isPast ? "frame past" : "frame"}>
      <Menu />
      <main id="main" tabIndex={-1} aria-busy={isBusy}>
        {isLost.value && (
          <p class="lost" role="alert">
            The server can't be reached. Retrying every two seconds; nothing you typed is lost.
          </p>
        )}
        {isPast && <PastNotice />}
        {isSettled.value && <Banners />}
        <Views Each={LoadedView} />
      </main>
      <Help />
      {isFinding.value && <Palette />}
    </div>
  );
}

/** The view at the current address. */
function Views({ Each }: { Each: ComponentType<{ view: View }> }) {
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
          <Each view={view} />
        </Route>
      ))}
      {Each === LoadedView && (
        <Route>
          <NotFound />
        </Route>
      )}
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

/** Loads the file of a view while it isn't known yet who is signed in. */
function Loading({ view }: { view: View }) {
  useEffect(() => void view.Shown.load(), [view]);
  return <Working />;
}

/** A view, once its file has loaded. */
function LoadedView({ view }: { view: View }) {
  useEffect(() => {
    document.title = `${view.title} · Flagstone`;
  }, [view]);
  return <view.Shown />;
}

const Palette = later(async () => (await import("./palette.tsx")).Palette);
const Banners = later(async () => (await import("./banners.tsx")).Banners, null);

/** How long the first view must be complete before files that it doesn't need are loaded. */
const SETTLED_MS = 300;

effect(() => {
  if (isSettled.value || isBusy.value || !me.value) return;
  const timer = setTimeout(() => {
    isSettled.value = true;
    for (const part of [Palette, ...VIEWS.map(({ Shown }) => Shown)]) void part.load();
  }, SETTLED_MS);
  return () => clearTimeout(timer);
});

render(<App />, document.getElementById("app")!);
