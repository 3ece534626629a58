import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Link, useLocation } from "wouter-preact";
import { isHelpOpen } from "./keys.ts";
import { IconButton } from "./parts/button.tsx";
import { Icon } from "./parts/icon.tsx";
import { Avatar, nameOfUser } from "./parts/words.tsx";
import { isAdmin, me } from "./session.ts";
import { VIEWS } from "./views.ts";

/** In a narrow window, the menu is collapsed at first. */
const isOpen = signal(false);

export function Menu() {
  const [here] = useLocation();
  useEffect(() => {
    isOpen.value = false;
  }, [here]);
  const entries = VIEWS.filter(({ icon, isForAdmins }) => icon && (!isForAdmins || isAdmin()));
  return (
    <header class={isOpen.value ? "menu open" : "menu"}>
      <button type="button" class="skip" onClick={() => document.getElementById("main")?.focus()}>
        Skip to content
      </button>
      <div class="brand">
        <Link href="/">
          <Icon name="flag" /> Flagstone
        </Link>
        <button
          type="button"
          class="bare toggle"
          aria-label="Menu"
          aria-expanded={isOpen.value}
          onClick={() => {
            isOpen.value = !isOpen.value;
          }}
        >
          <Icon name={isOpen.value ? "close" : "menu"} />
        </button>
      </div>
      <nav aria-label="Main">
        {entries.map(({ path, title, icon }) => (
          <Link key={path} href={path} aria-current={isAt(path, here) ? "page" : undefined}>
            <Icon name={icon!} /> {title}
          </Link>
        ))}
        <a href="docs">
          <Icon name="api" /> API
        </a>
      </nav>
      <CurrentUser />
    </header>
  );
}

const isAt = (path: string, here: string) =>
  path === "/" ? here === path : here === path || here.startsWith(`${path}/`);

/** The signed-in user, and the button to sign out. */
function CurrentUser() {
  const user = me.value?.user;
  if (!user) return null;
  return (
    <div class="who">
      <Link href="/me">
        <Avatar url={"imageUrl" in user ? user.imageUrl : null} /> <bdi>{nameOfUser(user)}</bdi>
      </Link>
      <span>
        <IconButton
          icon="help"
          label="Keyboard shortcuts"
          onClick={() => {
            isHelpOpen.value = true;
          }}
        />
        <form method="post" action="logout">
          <button type="submit">Sign out</button>
        </form>
      </span>
    </div>
  );
}
