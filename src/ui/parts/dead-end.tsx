import type { ComponentChildren } from "preact";
import { Link } from "wouter-preact";
import { Heading } from "./words.tsx";

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
