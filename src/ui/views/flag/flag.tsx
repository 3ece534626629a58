import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { Button } from "../../parts/button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { mayConnect } from "../connect-token.ts";
import { About } from "./about.tsx";
import { EnvironmentCard } from "./environment-card.tsx";
import { type Flag, FlagFrame } from "./flag-frame.tsx";
import { TryIt } from "./try-it.tsx";

/** A flag: what it is, and side by side who gets it in each environment. */
export const View = () => (
  <FlagFrame>
    {(flag) => (
      <>
        <About flag={flag} />
        <div class="environments">
          {flag.environments.map((environment) => (
            <EnvironmentCard key={environment.name} flag={flag} environment={environment} />
          ))}
        </div>
        <Ways flag={flag} />
      </>
    )}
  </FlagFrame>
);

/** What is done with a flag elsewhere: asking for it, here by way of trial or from an application. */
function Ways({ flag }: { flag: Flag }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div class="actions">
      <Button icon="play" onClick={() => setOpen(true)}>
        Try it with a context
      </Button>
      {mayConnect(flag.project) && (
        <Link class="button" href={connectPath(flag)}>
          <Icon name="api" /> Use it in your application
        </Link>
      )}
      {isOpen && <TryIt flag={flag} onClose={() => setOpen(false)} />}
    </div>
  );
}

/** Where it is on, an application sees that it works. */
function connectPath({ project, name, environments }: Flag) {
  const environment = environments.find(({ enabled }) => enabled)?.name ?? "";
  return `/connect?${new URLSearchParams({ project, feature: name, ...(environment && { environment }) })}`;
}
