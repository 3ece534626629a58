import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { Button } from "../../parts/button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { mayConnect } from "../connect-token.ts";
import { About } from "./about.tsx";
import { EnvironmentCard } from "./environment-card.tsx";
import { type Flag, FlagFrame } from "./flag-frame.tsx";
import { TryIt } from "./try-it.tsx";

/** A flag: what it is for, and its environments side by side. */
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
        <NextSteps flag={flag} />
      </>
    )}
  </FlagFrame>
);

/** Ways to evaluate the flag: try it here, or use it in an application. */
function NextSteps({ flag }: { flag: Flag }) {
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

/** Suggests an environment where the flag is on, so that the application sees it work. */
function connectPath({ project, name, environments }: Flag) {
  const environment = environments.find(({ enabled }) => enabled)?.name ?? "";
  return `/connect?${new URLSearchParams({ project, feature: name, ...(environment && { environment }) })}`;
}
