import { Link } from "wouter-preact";
import { pathTo } from "../address.ts";
import type { Output } from "../api.ts";
import { counted } from "../format.ts";
import type { Read } from "../reads.ts";
import { Answer, Nothing } from "./answer.tsx";
import { Dialog } from "./dialog.tsx";

type Use = Output<"GET /api/admin/segments/:id/strategies">["strategies"][number];

interface UsesProps {
  /** The name of what is used. */
  name: string;
  read: Read<{ strategies: Use[] }>;
  onClose(): void;
}

/** The strategies that use something, each with a link to its flag. */
export const Uses = ({ name, read, onClose }: UsesProps) => (
  <Dialog title={`Where ${name} is used`} onClose={onClose}>
    <Answer read={read}>
      {({ strategies }) =>
        strategies.length === 0 ? (
          <Nothing>No strategy uses it.</Nothing>
        ) : (
          <ul class="plain">
            {strategies.map(({ id, projectId, featureName, environment, strategyName }) => (
              <li key={id}>
                <Link href={pathTo("projects", projectId, "features", featureName)}>
                  <bdi>{featureName}</bdi>
                </Link>{" "}
                <small>
                  {strategyName} in {environment}
                </small>
              </li>
            ))}
          </ul>
        )
      }
    </Answer>
  </Dialog>
);

interface UseCountProps {
  features: number;
  projects: number;
  name: string;
  onOpen(): void;
}

/** How many flags use something; a click shows where. */
export const UseCount = ({ features, projects, name, onOpen }: UseCountProps) =>
  features === 0 ? (
    <span class="muted">not used</span>
  ) : (
    <button type="button" onClick={onOpen}>
      {counted(features, "flag")} in {counted(projects, "project")}
      <span class="unseen">: where {name} is used</span>
    </button>
  );
