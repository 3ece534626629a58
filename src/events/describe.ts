import { ACTIONS, FLAG_ACTIONS } from "./actions.ts";
import { LABELS } from "./labels.ts";
import { bold, type Described, flag, isNothing, joinWords, project, subjectOf } from "./names.ts";

/** The label of an event and its summary in Markdown. */
export const describe = (event: Described) => ({ label: LABELS[event.type], summary: summaryOf(event) });

/** Who did it, to what, and where (environment, project). */
function summaryOf(event: Described) {
  const { createdBy, type } = event;
  const action = (event.featureName !== null && FLAG_ACTIONS[type]) || ACTIONS[type];
  return joinWords(bold(createdBy), action?.(event) ?? defaultAction(event), ...placeOf(event));
}

function placeOf(event: Described) {
  const { type, environment } = event;
  const isSubject = /^project-(environment|\w+$)/.test(type); // already named as the subject
  return [
    isNothing(environment) || isSubject ? undefined : `in the environment ${bold(environment)}`,
    isNothing(event.project) || /^project-\w+$/.test(type)
      ? undefined
      : `${type === "feature-project-change" ? "to" : "in"} the project ${project(event)}`,
  ];
}

/** From the label: "Segment created" becomes "created the segment". Labels that name no action stay as they are. */
function defaultAction(event: Described) {
  const label = LABELS[event.type].replace(/^(?!API)./, (letter) => letter.toLowerCase());
  const [, noun, verb] = /^(.+) (\w+ed)$/.exec(label) ?? [];
  if (noun === undefined) return joinWords(`(${label})`, subjectOf(event));
  if (noun === "project")
    return joinWords(verb, "the project", isNothing(event.project) ? subjectOf(event) : project(event));
  if (event.featureName === null)
    return joinWords(verb, "the", noun.replace(/^project /, ""), subjectOf(event));
  if (!event.type.startsWith("feature-"))
    return joinWords(verb, "the", noun, subjectOf(event), "for", flag(event));
  const part = noun.replace(/^flag ?/, "");
  return part === "" ? `${verb} ${flag(event)}` : `${verb} the ${part} of ${flag(event)}`;
}
