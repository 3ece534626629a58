import { Link } from "wouter-preact";
import { connectPath, flagPath } from "../../address.ts";
import { request } from "../../api.ts";
import { IconButton } from "../../parts/controls.tsx";
import { FormDialog, Opener } from "../../parts/dialog.tsx";
import { TryDialog, type TryProps } from "../../parts/evaluation.tsx";
import { LatestEvents } from "../../parts/events.tsx";
import { choice, choicesOf, text } from "../../parts/fields.tsx";
import { Avatar, FlagLink, Icon, Time } from "../../parts/words.tsx";
import { change, useRead } from "../../reads.ts";
import { may, mayConnect } from "../../session.ts";
import { EnvironmentCard } from "./environment.tsx";
import { FEATURE, type Flag, type FlagProps, inFlag, paramsOf } from "./frame.tsx";
import { Links } from "./links.tsx";

/** A flag: what it is for, and its environments side by side. */
export const Overview = inFlag(({ flag }) => (
  <>
    <About flag={flag} />
    <Lifecycle flag={flag} />
    <NextSteps flag={flag} />
    <div class="environments">
      {flag.environments.map((environment) => (
        <EnvironmentCard key={environment.name} flag={flag} environment={environment} />
      ))}
    </div>
    <LatestEvents
      title="Latest changes"
      all={flagPath(flag.project, flag.name, "log")}
      query={{ feature: `IS:${flag.name}`, limit: 5 }}
    />
  </>
));

const STAGES = ["initial", "pre-live", "live", "completed", "archived"] as const;

/** The stages that a flag goes through, with when it has. */
function Lifecycle({ flag }: FlagProps) {
  const entered = useRead(`GET ${FEATURE}/lifecycle`, { params: paramsOf(flag) }).data ?? [];
  if (entered.length === 0) return null;
  return (
    <ol class="stages" aria-label="Lifecycle">
      {STAGES.map((stage) => {
        const at = entered.findLast((one) => one.stage === stage)?.enteredStageAt;
        const isCurrent = entered.at(-1)!.stage === stage;
        return (
          <li key={stage} class={at && "done"} aria-current={isCurrent ? "step" : undefined}>
            {stage} {at && <Time at={at} />}
          </li>
        );
      })}
    </ol>
  );
}

/** A flag's description, tags and dependencies, and who created it. */
const About = ({ flag }: FlagProps) => (
  <div class="about">
    {flag.description && (
      <p>
        <bdi>{flag.description}</bdi>
      </p>
    )}
    <Tags flag={flag} />
    <Links flag={flag} />
    <Dependencies flag={flag} />
    <p class="muted">
      Created <Time at={flag.createdAt} /> by <Avatar url={flag.createdBy.imageUrl} />{" "}
      <bdi>{flag.createdBy.name}</bdi>, last seen <Time at={flag.lastSeenAt} />
      {flag.children.length > 0 && (
        <>
          ; required by{" "}
          {flag.children.map((child, index) => (
            <span key={child}>
              {index > 0 && ", "}
              <FlagLink project={flag.project} name={child} />
            </span>
          ))}
        </>
      )}
    </p>
  </div>
);

const TAGS = "/api/admin/features/:featureName/tags";

function Tags({ flag: { name, project } }: FlagProps) {
  const params = { featureName: name };
  const tags = useRead(`GET ${TAGS}`, { params }).data?.tags ?? [];
  const isAllowed = may("UPDATE_FEATURE", { project });
  return (
    <div class="chips">
      {tags.map(({ type, value }) => (
        <span key={`${type}:${value}`} class="chip">
          <bdi>
            {type}:{value}
          </bdi>
          {isAllowed && (
            <IconButton
              icon="close"
              label={`Remove the tag ${type}:${value}`}
              onClick={() => change(`DELETE ${TAGS}/:type/:value`, { params: { ...params, type, value } })}
            />
          )}
        </span>
      ))}
      <Opener isAllowed={isAllowed} label="Add a tag" icon="tag" parameter="tag">
        <NewTag feature={name} />
      </Opener>
    </div>
  );
}

function NewTag({ feature }: { feature: string }) {
  const types = useRead("GET /api/admin/tag-types").data?.tagTypes ?? [];
  return (
    <FormDialog
      title="Add a tag"
      initial={{ type: "simple", value: "" }}
      fields={() => ({
        type: choice("Type", choicesOf(types.map(({ name }) => name))),
        value: text("Value", { required: true, autofocus: true }),
      })}
      submit="Add the tag"
      send={(body) => change(`POST ${TAGS}`, { params: { featureName: feature }, body })}
    />
  );
}

const CHILD = "/api/admin/projects/:projectId/features/:child";

/** The flags this one requires; it is off for everyone unless they are in the required state. */
function Dependencies({ flag }: FlagProps) {
  const { project, name, dependencies, children } = flag;
  const params = { projectId: project, child: name };
  const isAllowed = may("UPDATE_FEATURE_DEPENDENCY", { project });
  return (
    <div class="chips">
      {dependencies.map(({ feature, ...state }) => (
        <span key={feature} class="chip">
          <span>
            Requires <FlagLink project={project} name={feature} /> {stateInWords(state)}
          </span>
          {isAllowed && (
            <IconButton
              icon="close"
              label={`Remove the dependency on ${feature}`}
              onClick={() =>
                change(`DELETE ${CHILD}/dependencies/:parent`, { params: { ...params, parent: feature } })
              }
            />
          )}
        </span>
      ))}
      <Opener
        isAllowed={isAllowed && children.length === 0 && dependencies.length === 0}
        label="Add a dependency"
        parameter="dependency"
      >
        <NewDependency params={params} />
      </Opener>
    </div>
  );
}

const stateInWords = ({ enabled, variants = [] }: Omit<Flag["dependencies"][number], "feature">) =>
  !enabled ? "to be off" : variants.length > 0 ? `to be on with ${variants.join(" or ")}` : "to be on";

interface NewDependencyProps {
  params: Record<"projectId" | "child", string>;
}

function NewDependency({ params }: NewDependencyProps) {
  const parents = useRead(`GET ${CHILD}/parents`, { params }).data ?? [];
  return (
    <FormDialog
      title="Add a dependency"
      initial={{ feature: "", state: "on", variants: "" }}
      fields={({ values: { state } }) => ({
        feature: choice("Flag", [["", "choose a flag"], ...choicesOf(parents)]),
        state: choice("Required state", choicesOf(["on", "off"])),
        variants:
          state === "on" &&
          text("Variants", { hint: "Separate names with commas. Leave empty for any variant." }),
      })}
      submit="Add the dependency"
      send={({ feature, state, variants }) => {
        const names = variants.split(",").flatMap((variant) => variant.trim() || []);
        const body = { feature, enabled: state === "on", ...(names.length > 0 && { variants: names }) };
        return change(`POST ${CHILD}/dependencies`, { params, body });
      }}
    />
  );
}

/** Ways to evaluate the flag: try it here, or use it in an application. */
const NextSteps = ({ flag }: FlagProps) => (
  <div class="actions">
    <Opener label="Try it with a context" icon="play" parameter="try">
      <TryIt flag={flag} />
    </Opener>
    {mayConnect(flag.project) && (
      <Link class="button" href={connectPath(flag)}>
        <Icon name="api" /> Use it in your application
      </Link>
    )}
    <Hint flag={flag} />
  </div>
);

/** What to do with a flag that is off everywhere. */
const Hint = ({ flag: { project, environments } }: FlagProps) =>
  environments.some(({ enabled }) => enabled) || !may("UPDATE_FEATURE_ENVIRONMENT", { project }) ? null : (
    <small>The flag is off everywhere: turn it on with the switch of an environment.</small>
  );

/** Evaluates the flag for a context, and explains the result. */
function TryIt({ flag }: FlagProps) {
  const environments = flag.environments.map(({ name }) => name);
  const likely = flag.environments.find(({ enabled }) => enabled)?.name ?? environments[0] ?? "";
  const evaluate: TryProps["evaluate"] = async (context, environment) => {
    const { features } = await request("POST /api/admin/playground", {
      body: { environment, projects: [flag.project], context },
    });
    return features.filter(({ name }) => name === flag.name);
  };
  return (
    <TryDialog
      title={`Who gets ${flag.name}?`}
      environments={environments}
      environment={likely}
      evaluate={evaluate}
    />
  );
}
