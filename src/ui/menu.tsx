import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Link, useLocation } from "wouter-preact";
import { nameOfUser } from "./format.ts";
import { Bell } from "./notifications.tsx";
import { IconButton } from "./parts/controls.tsx";
import { Dialog } from "./parts/dialog.tsx";
import { Avatar, Icon, type IconName } from "./parts/words.tsx";
import { isAdmin, me } from "./session.ts";
import { setTheme, THEMES, theme } from "./theme.ts";
import { MENU, type MenuGroup, VIEWS } from "./views.ts";

/** In a narrow window, the menu is collapsed at first. */
const isOpen = signal(false);

/** Whether the palette is open. */
export const isFinding = signal(false);

const find = () => {
  isFinding.value = true;
};

export function Menu() {
  const [here] = useLocation();
  useEffect(() => {
    isOpen.value = false;
  }, [here]);
  const toggle = () => {
    isOpen.value = !isOpen.value;
  };
  return (
    <header class={isOpen.value ? "menu open" : "menu"}>
      <button type="button" class="skip" onClick={() => document.getElementById("main")?.focus()}>
        Skip to content
      </button>
      <div class="brand">
        <Link href="/">
          <Icon name="flag" /> Flagstone
        </Link>
        <Bell />
        <button
          type="button"
          class="bare toggle"
          aria-label="Menu"
          aria-expanded={isOpen.value}
          onClick={toggle}
        >
          <Icon name={isOpen.value ? "close" : "menu"} />
        </button>
      </div>
      <button type="button" class="find" aria-keyshortcuts="Control+K Meta+K" onClick={find}>
        <Icon name="find" /> <span>Find anything</span> <kbd>Ctrl K</kbd>
      </button>
      <nav aria-label="Main">
        {MENU.map((group) => (
          <Group key={group} group={group} here={here} />
        ))}
      </nav>
      <CurrentUser />
    </header>
  );
}

/** The views of the menu that the user may open. */
export const menuViews = () => VIEWS.filter(({ menu }) => menu && (menu !== "Administer" || isAdmin()));

function Group({ group, here }: { group: MenuGroup; here: string }) {
  const entries = menuViews().filter(({ menu }) => menu === group);
  if (entries.length === 0) return null;
  return (
    <div class="group">
      <small>{group}</small>
      {entries.map(({ path, title, icon }) => (
        <Link key={path} href={path} aria-current={isAt(path, here) ? "page" : undefined}>
          <Icon name={icon!} /> {title}
        </Link>
      ))}
    </div>
  );
}

const isAt = (path: string, here: string) =>
  path === "/" ? here === path : here === path || here.startsWith(`${path}/`);

/** The signed-in user, the look of the page, and the button to sign out. */
function CurrentUser() {
  const user = me.value?.user;
  if (!user) return null;
  return (
    <div class="who">
      <Link href="/me">
        <Avatar url={"imageUrl" in user ? user.imageUrl : null} /> <bdi>{nameOfUser(user)}</bdi>
      </Link>
      <span>
        <IconButton icon={THEME_ICONS[theme.value]} label={`Theme: ${theme.value}`} onClick={nextTheme} />
        <IconButton icon="help" label="Keyboard shortcuts" onClick={() => showHelp(true)} />
        <form method="post" action="logout">
          <button type="submit">Sign out</button>
        </form>
      </span>
    </div>
  );
}

const THEME_ICONS = { system: "screen", light: "sun", dark: "moon" } as const satisfies Record<
  string,
  IconName
>;

export const nextTheme = () => setTheme(THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length]!);

/** How long `g` waits for its letter. */
const SEQUENCE_MS = 1500;

/** `Ctrl+K` to find anything, `/` to search, `g` and a letter to open a view, `?` for help; browsers close dialogs on `Esc`. */
export function watchKeys(navigate: (path: string) => void) {
  let pressedG = 0;
  const press = (event: KeyboardEvent) => {
    if (isDialogOpen()) return;
    if (isFindKey(event)) find();
    else if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    else {
      const isAfterG = performance.now() - pressedG < SEQUENCE_MS;
      pressedG = event.key === "g" && !isAfterG ? performance.now() : 0;
      const view = isAfterG ? VIEWS.find(({ letter }) => letter === event.key) : undefined;
      if (view) navigate(view.path);
      else if (event.key === "?") showHelp(true);
      else if (event.key === "/") document.querySelector<HTMLElement>("input[type=search]")?.focus();
      else return;
    }
    event.preventDefault();
  };
  addEventListener("keydown", press);
  return () => removeEventListener("keydown", press);
}

const isFindKey = ({ key, ctrlKey, metaKey }: KeyboardEvent) =>
  key.toLowerCase() === "k" && (ctrlKey || metaKey);

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  target.matches("input:not([type=checkbox], [type=radio]), textarea, select");

const isDialogOpen = () => document.querySelector("dialog[open]") !== null;

const isHelpOpen = signal(false);

export const showHelp = (isShown: boolean) => {
  isHelpOpen.value = isShown;
};

/** The dialog that lists the keyboard shortcuts. */
export function Help() {
  if (!isHelpOpen.value) return null;
  const ofViews = VIEWS.flatMap(({ letter, title }) => (letter ? [[["g", letter], title] as const] : []));
  const shortcuts = [
    [["Ctrl", "K"], "find anything"],
    [["/"], "search"],
    [["?"], "this list"],
    [["Esc"], "close the dialog"],
    ...ofViews,
  ] as const;
  return (
    <Dialog title="Keyboard shortcuts" onClose={() => showHelp(false)}>
      <dl class="keys">
        {shortcuts.map(([keys, what]) => (
          <div key={what}>
            <dt>
              {keys.map((key) => (
                <span key={key}>
                  <kbd>{key}</kbd>{" "}
                </span>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
