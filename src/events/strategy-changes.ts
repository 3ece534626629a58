/** A strategy as stored in an event: the log may contain anything, so nothing about it is assumed. */
type State = Readonly<Record<string, unknown>>;

/** Longer values are truncated, since a summary is one line. In characters. */
const MAX_LENGTH = 100;

/** What an update to a strategy changed, one text per change, such as `rollout from 100% to 25%`. */
export const strategyChanges = (before: State, after: State): string[] => [
  ...changed("title", before.title, after.title),
  ...(before.disabled === after.disabled ? [] : [after.disabled === true ? "disabled" : "enabled"]),
  ...parameterChanges(toState(before.parameters), toState(after.parameters)),
  ...changed("constraints", toList(before.constraints, toWords), toList(after.constraints, toWords)),
  ...changed("segments", toList(before.segments, String), toList(after.segments, String)),
  ...changed("variants", toList(before.variants, toName), toList(after.variants, toName)),
];

const parameterChanges = (before: State, after: State) =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) => {
    const unit = name === "rollout" ? "%" : "";
    const shown = (value: unknown) => (isEmpty(value) ? value : `${value}${unit}`);
    return changed(name, shown(before[name]), shown(after[name]));
  });

function changed(name: string, before: unknown, after: unknown): string[] {
  const [old, new_] = [toText(before), toText(after)];
  return old === new_ ? [] : [`${name} from ${old} to ${new_}`];
}

const isEmpty = (value: unknown) => value === undefined || value === null || value === "";

function toText(value: unknown) {
  const text = isEmpty(value) ? "none" : String(value);
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
}

const toState = (value: unknown): State =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as State) : {};

const toList = (value: unknown, toText: (element: unknown) => string) =>
  Array.isArray(value) ? value.map(toText).join(", ") : "";

/** For example `userId not IN 1, 2`. */
function toWords(constraint: unknown) {
  const { contextName, operator, values, value, inverted } = toState(constraint);
  const right = isEmpty(value) ? toList(values, String) : String(value);
  return [contextName, inverted === true && "not", operator, right].filter(Boolean).join(" ");
}

/** A variant's name and its weight in per cent. */
function toName(variant: unknown) {
  const { name, weight } = toState(variant);
  return typeof weight === "number" ? `${name} ${weight / 10}%` : String(name);
}
