import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { type Read, useLast } from "../reads.ts";
import { isAnythingTyped } from "../unsaved.ts";
import { Heading } from "./words.tsx";

interface AnswerProps<T> {
  read: Read<T>;
  /** Shown in place of the API's message. */
  failure?: (error: Error) => ComponentChildren;
  children(data: T): ComponentChildren;
}

/**
 * Renders the data of a read, its error, or that it is loading. If a later request is refused while something is typed,
 * such as when access to a project is lost, the last data stays so that the input does, below the error.
 */
export function Answer<T>({ read: { data, error }, failure, children }: AnswerProps<T>) {
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
  return <Working />;
}

export const Failure = ({ error }: { error: Error }) => (
  <p class="failure" role="alert">
    {error.message}
  </p>
);

/** Nothing is shown before this, since most responses arrive sooner. */
const SLOW_MS = 200;

export function Working() {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), SLOW_MS);
    return () => clearTimeout(timer);
  }, []);
  return isSlow ? (
    <p class="working" role="status">
      Loading…
    </p>
  ) : null;
}

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
