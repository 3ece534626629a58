import { Link } from "wouter-preact";
import { useDialog } from "../../address.ts";
import { Button } from "../../parts/button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { may } from "../../session.ts";
import { connectPath, mayConnect } from "../connect-token.ts";
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
        <NextSteps flag={flag} />
        <div class="environments">
          {flag.environments.map((environment) => (
            <EnvironmentCard key={environment.name} flag={flag} environment={environment} />
          ))}
        </div>
      </>
    )}
  </FlagFrame>
);

/** Ways to evaluate the flag: try it here, or use it in an application. */
function NextSteps({ flag }: { flag: Flag }) {
  const trying = useDialog("try");
  return (
    <div class="actions">
      <Button icon="play" onClick={() => trying.open()}>
        Try it with a context
      </Button>
      {mayConnect(flag.project) && (
        <Link class="button" href={connectPath(flag)}>
          <Icon name="api" /> Use it in your application
        </Link>
      )}
      <Hint flag={flag} />
      {trying.of && <TryIt flag={flag} onClose={trying.close} />}
    </div>
  );
}

/** What to do with a flag that is off everywhere. */
const Hint = ({ flag: { project, environments } }: { flag: Flag }) =>
  environments.some(({ enabled }) => enabled) || !may("UPDATE_FEATURE_ENVIRONMENT", { project }) ? null : (
    <small>The flag is off everywhere: turn it on with the switch of an environment.</small>
  );
