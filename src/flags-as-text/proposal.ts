import { CLI } from "../access/actor.ts";
import { proposeAnew } from "../change-requests/proposals.ts";
import type { NewChange } from "../change-requests/schema.ts";
import type { Database } from "../db/database.ts";
import { approvedEnvironment, requiredApprovals } from "../events/needs-approval.ts";
import { write } from "../events/write.ts";
import { disable, enable } from "../flags/feature-environments.ts";
import { archiveFeatureOperation } from "../flags/features-archive.ts";
import { deleteSegmentOperation, updateSegment } from "../flags/segments.ts";
import { addStrategyOperation, deleteStrategy, replaceStrategy, setSortOrder } from "../flags/strategies.ts";
import { isStrategy } from "../flags/strategies-store.ts";
import type { Operation } from "../http/operation.ts";
import { type OperationRequest, performIn } from "../http/perform.ts";
import { applyProject, rewordErrors } from "./plan.ts";
import type { Step } from "./step.ts";
import type { ProjectText } from "./text.ts";

// biome-ignore lint/suspicious/noExplicitAny: the body of an operation that has checked it
type Proposal = (params: Record<string, string>, body: any) => [NewChange["action"], payload?: unknown];

/** What to propose instead of an operation: the action and its payload. */
const PROPOSALS: ReadonlyMap<Operation, Proposal> = new Map<Operation, Proposal>([
  [enable, () => ["updateEnabled", { enabled: true }]],
  [disable, () => ["updateEnabled", { enabled: false }]],
  [addStrategyOperation, (_, body) => ["addStrategy", body]],
  [replaceStrategy, ({ strategyId: id }, body) => ["updateStrategy", { ...body, id }]],
  [deleteStrategy, ({ strategyId: id }) => ["deleteStrategy", { id }]],
  [setSortOrder, (_, body) => ["reorderStrategy", body]],
  [archiveFeatureOperation, () => ["archiveFeature"]],
  [updateSegment, ({ id }, body) => ["updateSegment", { ...body, id: Number(id) }]],
  [deleteSegmentOperation, ({ id }) => ["deleteSegment", { id: Number(id) }]],
]);

/** A change request that was opened. */
export interface Opened {
  id: number;
  environment: string;
}

/**
 * Changes a project to match a text, but for what must be approved: that is sent to review, in one change request for each
 * environment, which replaces the one that the last text has opened.
 * @returns the steps, and the requests
 * @throws DataError if it is not possible
 */
export function proposeProject(
  db: Database,
  text: ProjectText,
  { prunes, title }: { prunes: boolean; title: string },
): { steps: Step[]; opened: Opened[] } {
  const { project } = text;
  const requests: OperationRequest[] = [];
  const steps = applyProject(db, text, { prunes, isDryRun: true, onPerformed: (one) => requests.push(one) });
  const opened = write(db, CLI, (tx) => {
    const proposed = new Map<string, NewChange[]>();
    for (const request of requests) {
      const environment = approvedIn(db, project, request);
      if (environment === undefined)
        rewordErrors(project, () => performIn(tx, request.operation, request.params, request.body));
      else proposed.set(environment, [...(proposed.get(environment) ?? []), ...toChanges(db, request)]);
    }
    return [...proposed]
      .filter(([, changes]) => changes.length > 0)
      .map(([environment, changes]) => ({
        id: rewordErrors(project, () => proposeAnew(tx, project, environment, changes, title)),
        environment,
      }));
  });
  return { steps, opened };
}

/** The environment where a request must be approved. */
function approvedIn(
  db: Database,
  project: string,
  { operation, params }: OperationRequest,
): string | undefined {
  const { environment } = params;
  if (!PROPOSALS.has(operation)) return undefined;
  if (environment === undefined) return approvedEnvironment(db, project);
  return requiredApprovals(db, project, environment) > 0 ? environment : undefined;
}

/** Strategies that are only proposed have no place in an order yet: they come last. */
function toChanges(db: Database, { operation, params, body }: OperationRequest): NewChange[] {
  const [action, payload] = PROPOSALS.get(operation)!(params, body);
  const change = { feature: params.featureName, action, payload } as NewChange;
  if (change.action !== "reorderStrategy") return [change];
  const known = change.payload.filter(({ id }) => isStrategy(db, id));
  return known.length > 1 ? [{ ...change, payload: known }] : [];
}
