import type { ComponentChildren } from "preact";
import { Link } from "wouter-preact";
import { ago, fullTime } from "../format.ts";

/** When something was; the whole time is in its title. */
export const Time = ({ at, never = "never" }: { at: string | null | undefined; never?: string }) =>
  at ? (
    <time dateTime={at} title={fullTime(at)}>
      {ago(at)}
    </time>
  ) : (
    <span class="muted">{never}</span>
  );

const PART = /\*\*(.+?)\*\*/g;
const LINK = /^\[(.*)\]\((\/[^)]*)\)$/s;

/** The summary of an event, of whose Markdown there is only what is bold and what leads to another view. */
export const Summary = ({ text }: { text: string | null }) => (
  <span class="summary">
    {(text ?? "")
      .split(PART)
      .map((part, index) => (index % 2 === 0 ? part : <Strong key={index} text={part} />))}
  </span>
);

function Strong({ text }: { text: string }) {
  const [, shown, path] = LINK.exec(text) ?? [];
  return path === undefined ? (
    <strong>
      <bdi>{text}</bdi>
    </strong>
  ) : (
    <Link href={path}>
      <bdi>{shown}</bdi>
    </Link>
  );
}

/** Whoever is signed in, be it only a token. */
export const nameOfUser = (user: { name?: string | null; username?: string | null }): string =>
  user.name || user.username || "";

/** A person's picture, if it is the server's own: no other host is ever asked. */
export const Avatar = ({ url }: { url: string | null | undefined }) =>
  url && new URL(url, document.baseURI).origin === location.origin ? (
    <img class="avatar" src={url} alt="" width="20" height="20" loading="lazy" />
  ) : (
    <span class="avatar" aria-hidden="true" />
  );

type Tone = "good" | "bad" | "quiet";

/** A word that says a state; its colour only repeats it. */
export const Badge = ({ tone = "quiet", children }: { tone?: Tone; children: ComponentChildren }) => (
  <span class={`badge ${tone}`}>{children}</span>
);

/** The head of a view: what it is, and what can be done there. */
export const Heading = ({ title, children }: { title: ComponentChildren; children?: ComponentChildren }) => (
  <div class="heading">
    <h1>{title}</h1>
    <div class="actions">{children}</div>
  </div>
);

/** A share of a hundred, as a bar beside its number. */
export const Share = ({ percent, label }: { percent: number; label: string }) => (
  <span class="share">
    <meter min={0} max={100} value={percent} aria-label={label} />
    {percent}%
  </span>
);
