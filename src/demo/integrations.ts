import { EVENT_TYPES } from "../events/schema.ts";
import type { DemoEvent } from "./activity.ts";
import type { Random } from "./random.ts";

const FLAG_EVENTS = EVENT_TYPES.filter((type) => type.startsWith("feature-"));

/** The demo replaces their URLs with its own inbox. */
export const INTEGRATIONS = [
  {
    id: 1,
    provider: "webhook",
    description: "Release feed",
    parameters: { url: "http://127.0.0.1:9/releases" },
    events: FLAG_EVENTS,
  },
  {
    id: 2,
    provider: "slack",
    description: "The checkout channel",
    parameters: { url: "http://127.0.0.1:9/slack", defaultChannel: "checkout" },
    events: ["feature-environment-enabled", "feature-environment-disabled"],
    projects: ["checkout"],
  },
  {
    id: 3,
    provider: "datadog",
    description: "Production marks",
    parameters: { url: "http://127.0.0.1:9/datadog", apiKey: "an-example" },
    events: FLAG_EVENTS,
    environments: ["production"],
  },
  {
    id: 4,
    provider: "teams",
    description: "Switched off since the move to the other chat",
    enabled: false,
    parameters: { url: "http://127.0.0.1:9/teams" },
    events: FLAG_EVENTS,
  },
];

const MAX_RECORDED = 400;

const SUCCESS = ["success", "was successful with status code: 200."] as const;
const WITH_ERRORS = ["successWithErrors", "was successful with status code: 200."] as const;
const FAILURES = [
  ["failed", "failed with status code: 500."],
  ["failed", "failed with status code: ECONNREFUSED."],
] as const;

/** Which deliveries the first integration failed to make, until its receiver was mended: shares of all of them. */
const OUTAGE = { from: 0.6, to: 0.8 };

const PROBLEM = "Could not parse the JSON in the customHeaders parameter.\n";

/** The beginning of each provider's outcome. */
const REQUESTS: Readonly<Record<string, string>> = {
  webhook: "Webhook request",
  slack: "Slack webhook request",
  datadog: "Datadog Events API request",
  teams: "Teams webhook request",
};

/** The delivery records of the newest events, each a second after its event. */
export function integrationEvents(random: Random, events: DemoEvent[]): object[] {
  const handled = events.filter(({ type }) => FLAG_EVENTS.includes(type)).slice(-MAX_RECORDED);
  return handled.flatMap((event, index) =>
    INTEGRATIONS.filter((integration) => wants(integration, event)).map((integration) => {
      const [state, outcome] = outcomeOf(random, integration, index / handled.length);
      return {
        kind: "integrationEvent",
        integrationId: integration.id,
        createdAt: new Date(event.at + 1000).toISOString(),
        state,
        stateDetails: `${state === "successWithErrors" ? PROBLEM : ""}${REQUESTS[integration.provider]} ${outcome}`,
        eventId: event.id,
        details: { url: integration.parameters.url },
      };
    }),
  );
}

/** @param share of the deliveries that came before */
function outcomeOf(random: Random, { id }: { id: number }, share: number) {
  if (id === 1 && share >= OUTAGE.from && share < OUTAGE.to) return random.pick(FAILURES);
  return random.chance(0.03) ? WITH_ERRORS : SUCCESS;
}

const wants = (integration: (typeof INTEGRATIONS)[number], event: DemoEvent) =>
  integration.enabled !== false &&
  integration.events.includes(event.type) &&
  (integration.projects ?? [event.project]).includes(event.project!) &&
  (integration.environments ?? [event.environment]).includes(event.environment!);
