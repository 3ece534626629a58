import type { ComponentChildren } from "preact";
import { Link, useLocation } from "wouter-preact";
import { flagPath, pathTo, useArrival } from "../address.ts";
import { ago, fullTime } from "../format.ts";

/** A relative time, with the full time as its tooltip. */
export const Time = ({ at }: { at: string | null | undefined }) =>
  at ? (
    <time dateTime={at} title={fullTime(at)}>
      {ago(at)}
    </time>
  ) : (
    <span class="muted">never</span>
  );

/** A name that stands out in a sentence. */
export const Name = ({ children }: { children: ComponentChildren }) => (
  <strong>
    <bdi>{children}</bdi>
  </strong>
);

export const NameLink = ({ to, children }: { to: string; children: ComponentChildren }) => (
  <Link href={to}>
    <bdi>{children}</bdi>
  </Link>
);

export const FlagLink = ({ project, name }: { project: string; name: string }) => (
  <NameLink to={flagPath(project, name)}>{name}</NameLink>
);

export const ProjectLink = ({ id, name }: { id: string; name: string }) => (
  <NameLink to={pathTo("projects", id)}>{name}</NameLink>
);

const PART = /\*\*(.+?)\*\*/g;
const LINK = /^\[(.*)\]\((\/[^)]*)\)$/s;

/** The summary of an event; its only Markdown is bold text and links to other views. */
export const Summary = ({ text }: { text: string }) => (
  <span class="summary">
    {text.split(PART).map((part, index) => (index % 2 === 0 ? part : <Strong key={index} text={part} />))}
  </span>
);

function Strong({ text }: { text: string }) {
  const [, label, path] = LINK.exec(text) ?? [];
  return path === undefined ? <Name>{text}</Name> : <NameLink to={path}>{label}</NameLink>;
}

/** A user's picture, if it is on this server: the page sends no request to any other host. */
export const Avatar = ({ url }: { url: string | null | undefined }) =>
  url && new URL(url, document.baseURI).origin === location.origin ? (
    <img class="avatar" src={url} alt="" width="20" height="20" loading="lazy" />
  ) : (
    <span class="avatar" aria-hidden="true" />
  );

interface BadgeProps {
  tone?: "good" | "bad" | "quiet";
  children: ComponentChildren;
}

/** A state in words, which its colour only repeats. */
export const Badge = ({ tone = "quiet", children }: BadgeProps) => (
  <span class={`badge ${tone}`}>{children}</span>
);

interface HeadingProps {
  title: ComponentChildren;
  /** Shown next to the title, but not part of it, such as a button. */
  beside?: ComponentChildren;
  /** The actions of the view. */
  children?: ComponentChildren;
}

/** The heading of a view, which gets the focus when the view opens. */
export const Heading = ({ title, beside, children }: HeadingProps) => (
  <div class="heading">
    <div class="actions">
      <h1 ref={useArrival()} tabIndex={-1}>
        {title}
      </h1>
      {beside}
    </div>
    <div class="actions">{children}</div>
  </div>
);

interface TabsProps {
  tabs: ReadonlyArray<readonly [path: string, title: string]>;
  label: string;
}

/** Links between views that belong together. */
export function Tabs({ tabs, label }: TabsProps) {
  const [here] = useLocation();
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(([path, title]) => (
        <Link key={path} href={path} aria-current={here === decodeURI(path) ? "page" : undefined}>
          {title}
        </Link>
      ))}
    </nav>
  );
}

/** A percentage, as a bar beside the number. */
export const Share = ({ percent, label }: { percent: number; label: string }) => (
  <span class="share">
    <meter min={0} max={100} value={percent} aria-label={label} />
    {percent}%
  </span>
);
