import { useState } from "preact/hooks";
import { Button } from "../../parts/button.tsx";
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
        <TryButton flag={flag} />
      </>
    )}
  </FlagFrame>
);

function TryButton({ flag }: { flag: Flag }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button icon="play" onClick={() => setOpen(true)}>
        Try it with a context
      </Button>
      {isOpen && <TryIt flag={flag} onClose={() => setOpen(false)} />}
    </>
  );
}
