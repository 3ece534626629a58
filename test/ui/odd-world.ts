import fs from "node:fs";
import { hashSecret } from "../../src/access/token.ts";
import { createWorld } from "../support/world.ts";

/** HTML with a script, right-to-left text, an override of direction, combining characters, and a word without a break. */
export const ODD = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>"'& שלום ‮ e\u0301\u0302\u0303 ${"w".repeat(100)}`;

/** The secret of the only invitation. */
export const INVITATION = "i".repeat(32);

const TAG = { type: "simple", value: `‮${ODD.slice(0, 40)}` };
const FLAG = "f".repeat(100);
const LINK = "javascript:document.title='owned'";

const constraint = {
  contextName: "country",
  operator: "IN",
  values: [ODD, "‮abc"],
  inverted: false,
  caseInsensitive: false,
};

const variants = [
  { name: ODD, weight: 500, payload: { type: "string", value: "x".repeat(100_000) } },
  { name: `${ODD}2`, weight: 500, payload: { type: "json", value: JSON.stringify(ODD) } },
];

const strategy = {
  name: "flexibleRollout",
  title: ODD,
  parameters: { rollout: "25", stickiness: "default", groupId: ODD },
  constraints: [constraint],
  segments: [1],
  variants,
};

const about = {
  description: ODD,
  tags: [TAG],
  environments: [{ name: "development", enabled: true, strategies: [strategy], variants }],
};

const event = { project: "p", featureName: FLAG, data: { name: ODD, long: "x".repeat(100_000) } };

/** The hour of the usage, which must be recent. */
const hour = () => new Date(Date.now() - (Date.now() % 3_600_000)).toISOString();

/** Long, hostile and unusual names and texts in everything a view shows. */
export const oddWorld = () =>
  createWorld()
    .user({ name: ODD, username: ODD, email: "odd@example.com", imageUrl: "https://elsewhere.example/x.png" })
    .add("user", { id: 6, name: ODD, username: "robot", accountType: "Service Account" })
    .group(ODD, [1, 5], { description: ODD })
    .add("role", { id: 6, name: ODD, type: "custom", description: ODD, permissions: [] })
    .add("token", { type: "client", name: ODD, hash: "1".repeat(64), environment: "development" })
    .add("token", { type: "user", name: ODD, hash: "2".repeat(64), userId: 1 })
    .add("invitation", { id: 1, name: ODD, hash: hashSecret(INVITATION), expiresAt: "2099-01-01T00:00:00Z" })
    .project("p", {
      name: ODD,
      description: ODD,
      featureNaming: { pattern: "f+|old", example: "fff", description: ODD },
    })
    .member("p", 5, 6)
    .groupMember("p", 1)
    .add("tagType", { name: "odd", description: ODD, icon: ODD })
    .add("tag", TAG)
    .add("contextField", {
      name: "country",
      description: ODD,
      legalValues: [{ value: ODD, description: ODD }],
    })
    .add("segment", { id: 1, name: ODD, description: ODD, constraints: [constraint] })
    .add("strategyType", {
      name: "odd",
      title: ODD,
      description: ODD,
      parameters: [{ name: ODD, type: "string", description: ODD }],
    })
    .feature("parent", "p")
    .feature(FLAG, "p", { ...about, dependencies: [{ feature: "parent", variants: [ODD] }] })
    .feature("old", "p", { ...about, archivedAt: "2026-02-01T00:00:00Z" })
    .changeRequest("p", {
      title: ODD,
      state: "In review",
      createdBy: 5,
      changes: [
        {
          id: 1,
          feature: FLAG,
          action: "updateStrategy",
          payload: { id: "gone", name: ODD, title: ODD, constraints: [] },
          before: { id: "gone", name: "default", title: ODD, constraints: [] },
          createdAt: "2026-01-01T00:00:00Z",
        },
        {
          id: 2,
          action: "deleteSegment",
          payload: { id: 1 },
          before: { id: 1, name: ODD },
          createdAt: "2026-01-01T00:00:00Z",
        },
      ],
      votes: [{ user: 5, approves: true, subjects: ODD, createdAt: "2026-01-01T00:00:00Z" }],
      comments: [{ id: 1, text: ODD, createdBy: 5, createdAt: "2026-01-01T00:00:00Z" }],
    })
    .integration({ description: ODD, parameters: { url: "https://hooks.example/", bodyTemplate: ODD } })
    .event({
      ...event,
      preData: { name: "a" },
      createdBy: ODD,
      label: ODD,
      summary: `**[${ODD}](${LINK})** ${ODD}`,
    })
    .event(event)
    .integrationEvent({ state: "failed", stateDetails: ODD, details: { body: ODD } })
    .notification({ message: ODD, link: LINK, recipients: [{ userId: 1 }], createdByUserId: 5 })
    .add("banner", {
      id: 1,
      message: `**${ODD}** ${ODD}`,
      link: "dialog",
      linkText: ODD,
      dialogTitle: ODD,
      dialog: ODD,
    })
    .add("application", {
      name: ODD,
      description: ODD,
      url: LINK,
      places: [{ project: "p", environment: "development" }],
    })
    .add("instance", {
      application: ODD,
      environment: "development",
      instance: ODD,
      sdkVersion: ODD,
      clientIp: ODD,
    })
    .add("usage", {
      feature: FLAG,
      environment: "development",
      application: ODD,
      hours: [{ hour: hour(), yes: 3, no: 2, variants: { [ODD]: 3 } }],
    });

/** The address of every view that needs a sign-in, in the odd world, from the table of views. */
export const ADDRESSES = addressesIn(fs.readFileSync("src/ui/views.ts", "utf8").split("PUBLIC_VIEWS")[0]!);

function addressesIn(table: string) {
  return [...table.matchAll(/view\(\s*["`]?([^"`,]+)/g)].map(([, path = ""]) => toAddress(path));
}

function toAddress(path: string) {
  return path
    .replace(":id", "1")
    .replace(":appName", encodeURIComponent(ODD))
    .replace("/connect", `/connect?project=p&feature=${FLAG}`)
    .replace(/^(\$\{)?PROJECT\}?/, "/projects/p")
    .replace(/^(\$\{)?FLAG\}?/, `/projects/p/features/${FLAG}`);
}
