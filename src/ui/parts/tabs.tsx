import { Link, useLocation } from "wouter-preact";

/** Links between views that belong together. */
export function Tabs({
  tabs,
  label,
}: {
  tabs: ReadonlyArray<readonly [path: string, title: string]>;
  label: string;
}) {
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
