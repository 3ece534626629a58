import { datadog } from "./datadog.ts";
import { file } from "./file.ts";
import { newRelic } from "./new-relic.ts";
import type { Deliver } from "./provider.ts";
import { slack } from "./slack.ts";
import { slackApp } from "./slack-app.ts";
import { teams } from "./teams.ts";
import { webhook } from "./webhook.ts";

/** The delivery function of each provider, by name. */
export const DELIVER: ReadonlyMap<string, Deliver> = new Map([
  ["webhook", webhook],
  ["slack", slack],
  ["slack-app", slackApp],
  ["teams", teams],
  ["datadog", datadog],
  ["new-relic", newRelic],
  ["file", file],
]);
