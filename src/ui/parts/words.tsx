import type { ComponentChildren } from "preact";
import { Link, useLocation } from "wouter-preact";
import { flagPath, pathTo, useArrival } from "../address.ts";
import { ago, fullTime } from "../format.ts";
import { type Read, useLast } from "../reads.ts";
import { isAnythingTyped } from "../unsaved.ts";
import * as ICONS from "./icons.ts";

export type IconName = keyof typeof ICONS;

interface IconProps {
  name: IconName;
  /** Its tooltip; as that of a button, screen readers would read it after the button's name. */
  title?: string;
}

/** Decorative: whatever it says is also said in words beside it. */
export const Icon = ({ name, title }: IconProps) => {
  // biome-ignore lint/performance/noDynamicNamespaceImportAccess: all of them are used
  const svg = ICONS[name];
  return <span class="icon" aria-hidden="true" title={title} dangerouslySetInnerHTML={{ __html: svg }} />;
};

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

/** A state in words, which its colour only repeats. */
export const Badge = (props: { tone?: "good" | "bad"; children: ComponentChildren }) => (
  <span class={`badge ${props.tone ?? "quiet"}`}>{props.children}</span>
);

interface HeadingProps {
  title: ComponentChildren;
  /** What the view belongs to, from the whole to the part. */
  trail?: ReadonlyArray<readonly [path: string, title: string]>;
  /** Shown next to the title, but not part of it, such as a button. */
  beside?: ComponentChildren;
  /** The actions of the view. */
  children?: ComponentChildren;
}

/** The heading of a view, which gets the focus when the view opens. */
export const Heading = ({ title, trail, beside, children }: HeadingProps) => (
  <>
    {trail && <Trail of={trail} />}
    <div class="heading">
      <div class="actions">
        <h1 ref={useArrival()} tabIndex={-1}>
          {title}
        </h1>
        {beside}
      </div>
      <div class="actions">{children}</div>
    </div>
  </>
);

const Trail = ({ of }: { of: NonNullable<HeadingProps["trail"]> }) => (
  <nav class="trail" aria-label="Breadcrumbs">
    {of.map(([path, title]) => (
      <span key={path}>
        <NameLink to={path}>{title}</NameLink> <span aria-hidden="true">/</span>
      </span>
    ))}
  </nav>
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

/** A percentage that is better the higher it is, as a bar in the colour that its word says as well. */
export const Share = ({ percent, label }: { percent: number; label: string }) => (
  <span class="share">
    <meter min={0} low={50} high={75} optimum={100} max={100} value={percent} aria-label={label} />
    {percent}% <small>{percent >= 75 ? "good" : percent >= 50 ? "fair" : "poor"}</small>
  </span>
);

interface AnswerProps<T> {
  read: Read<T>;
  /** Shown in place of the API's message. */
  failure?: (error: Error) => ComponentChildren;
  /** How many rows it probably has. */
  rows?: number;
  children(data: T): ComponentChildren;
}

/**
 * Renders the data of a read, its error, or that it is loading. If a later request is refused while something is typed,
 * such as when access to a project is lost, the last data stays so that the input does, below the error.
 */
export function Answer<T>({ read: { data, error }, failure, rows, children }: AnswerProps<T>) {
  const last = useLast(data);
  const isKept = data === undefined && error !== undefined && isAnythingTyped.value;
  const shown = isKept ? last : data;
  if (shown !== undefined)
    return (
      <>
        {isKept && <Failure error={error} />}
        {children(shown)}
      </>
    );
  if (error) return failure ? failure(error) : <Failure error={error} />;
  return <Working rows={rows} />;
}

export const Failure = ({ error }: { error: Pick<Error, "message"> }) => (
  <p class="failure" role="alert">
    {error.message}
  </p>
);

/** What is still loading: it takes the room of so many rows at once, but is only seen and read if that takes a while. */
export const Working = ({ rows = 3 }: { rows?: number | undefined }) => (
  <div class="working" role="status">
    <span class="unseen">Loading…</span>
    {Array.from({ length: rows }, (_, row) => (
      <span key={row} class="line" />
    ))}
  </div>
);

/** Shown in place of an empty list. */
export const Nothing = ({ children }: { children: ComponentChildren }) => <p class="nothing">{children}</p>;

interface DeadEndProps {
  /** What was asked for. */
  title: string;
  /** Why it can't be shown. */
  children: ComponentChildren;
  /** Where to go from here. */
  links: ReadonlyArray<readonly [path: string, title: string]>;
}

/** A view that can't be shown: why, and ways onwards. */
export const DeadEnd = ({ title, children, links }: DeadEndProps) => (
  <>
    <Heading title={<bdi>{title}</bdi>} />
    {children}
    <ul class="plain">
      {links.map(([path, title]) => (
        <li key={path}>
          <Link href={path}>{title}</Link>
        </li>
      ))}
    </ul>
  </>
);
