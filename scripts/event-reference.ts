import { LABELS } from "../src/events/labels.ts";
import { EVENT_TYPES, type EventType } from "../src/events/types.ts";
import { OPERATIONS } from "../src/surfaces.ts";

/*
 * docs/events.md: for each type of event what writes it, from what operations declare, or why nothing does.
 */

/** What writes events beside the operations. */
const ELSEWHERE: Partial<Record<EventType, string>> = {
  "feature-potentially-stale-on": "the server, which looks every hour",
  "project-user-added": "the first start, for the project `default`",
  "user-created": "`flagstone user create`, the first start",
  "pat-created": "`flagstone token create`, the first start",
  "pat-deleted": "`flagstone token revoke`",
  "api-token-created": "`flagstone token create`, the first start",
  "api-token-deleted": "`flagstone token revoke`",
  "application-created": "the server, within five minutes of an application's first registration",
};

/** Why nothing writes some types, by a beginning or an end of their names; they come by an import only. */
const REASONS: ReadonlyArray<[types: RegExp, reason: string]> = [
  [/^change-/, "change requests are not part of Flagstone"],
  [/^(signal-endpoint|actions)-/, "signals and actions are not part of Flagstone"],
  [
    /^drop-|-import$/,
    "of an import of a whole state, which the original no longer has; a dataset restores its own log",
  ],
  [
    /^(client-metrics|client-register|db-pool-update|feature-updated|setting-deleted)$/,
    "nothing in the original writes it",
  ],
  [
    /^project-(access|user|group)-/,
    "access to a project is told by other types: `project-access-updated` and those beside it",
  ],
  [/^group-user-/, "members are part of their group: `group-updated`"],
];

/** The page as it should be. */
export function eventReference(): string {
  const rows = EVENT_TYPES.map((type) => `| \`${type}\` | ${LABELS[type]} | ${originOf(type)} |`);
  return [...INTRODUCTION, ...rows, ""].join("\n");
}

const INTRODUCTION = [
  "# Events",
  "",
  "Made by `npm run docs` from what the operations declare: each type of event, and what writes it. The tests hold every",
  "operation to what it declares. Types that nothing writes are known all the same: an import may bring such events.",
  "",
  "| type | label | written by |",
  "| --- | --- | --- |",
];

/** @throws Error for a type that nothing writes, without a reason */
function originOf(type: EventType): string {
  const written = [
    ...OPERATIONS.filter(({ records }) => records?.includes(type)).map(toName),
    ELSEWHERE[type],
  ];
  const origins = written.filter((origin) => origin !== undefined);
  const reason = REASONS.find(([types]) => types.test(type))?.[1];
  if (origins.length > 0) return origins.join("<br>");
  if (!reason) throw new Error(`Nothing writes ${type}, and scripts/event-reference.ts does not say why`);
  return `nothing: ${reason}`;
}

const toName = ({ method, path }: (typeof OPERATIONS)[number]) => `\`${method} ${path}\``;
