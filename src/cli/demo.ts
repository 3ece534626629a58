import { CLI } from "../access/actor.ts";
import { createSignInLink } from "../access/session-store.ts";
import type { Database } from "../db/database.ts";
import { IN_MEMORY, open } from "../db/open.ts";
import { rewriteHistory } from "../db/row-versions.ts";
import { DEMO_SIZE, makeDemo } from "../demo/dataset.ts";
import { write } from "../events/write.ts";
import { integrations, rewriteParameters } from "../integrations/integrations-store.ts";
import { decryptedParameters } from "../integrations/parameters.ts";
import { createToken } from "../people/tokens-store.ts";
import { importDataset } from "../transfer/import.ts";
import { type Context, command, wholeNumber } from "./command.ts";
import { closing } from "./data-file.ts";
import { writeLines } from "./export.ts";
import { givenSecret } from "./first-start.ts";
import { OPEN_OPTION, openIfRequested } from "./open-browser.ts";
import { endProgress, progressOn } from "./output.ts";
import { NETWORK, printLink, publicUrl, readTls, serveUntilStopped } from "./serve.ts";

/** Requests to try in the demo, and what they show. */
const TOUR = [
  ["/personal-dashboard", "your projects and flags"],
  ["/personal-dashboard/checkout", "one project in detail"],
  ["/projects/checkout/features", "its flags"],
  ["/projects/checkout/features/payment-redesign/environments/production/strategies", "who gets a flag"],
  ["/events", "the latest events"],
  ["/notifications", "what others did"],
  ["/addons/1/events", "what an integration delivered"],
  ["/user-admin/3", "a colleague"],
] as const;

const OPTIONS = {
  ...OPEN_OPTION,
  export: { hint: "FILE|-", help: "write the example as a dataset instead of serving it" },
  flags: { hint: "NUMBER", help: `how many flags it has (${DEMO_SIZE.flags})` },
  events: { hint: "NUMBER", help: `how many events its log has (${DEMO_SIZE.events})` },
} as const;

export const demo = command({
  name: "demo",
  summary: "Serve an example with a year of history from memory; nothing is saved",
  example: "demo",
  isServer: true,
  settings: [...NETWORK, "log-format", "log-level", "quiet"],
  options: OPTIONS,
  run(context) {
    const target = context.options.export;
    return target === undefined ? serveDemo(context) : exportDemo(context, target);
  },
});

type DemoContext = Context<typeof OPTIONS>;

async function serveDemo(context: DemoContext) {
  const given = givenSecret(context.world.env);
  const tls = readTls(context.config);
  using db = closing(open(IN_MEMORY));
  const { lines, past } = demoOf(context);
  await importDataset(db, [Buffer.from(toText(lines).join(""))], { onProgress: progressOn(context) });
  endProgress(context);
  const { secret, link } = write(db, CLI, (tx) => {
    rewriteHistory(tx, past);
    return {
      ...createToken(tx, { ...TOKEN, secret: given?.secret }),
      link: createSignInLink(tx, TOKEN.userId),
    };
  });
  const config = { ...context.config, inbox: true };
  await serveUntilStopped({ ...context, config }, { db, tls }, (url) => {
    deliverToInbox(db, url);
    printWelcome(context, url, { secret, link, place: given?.place });
    openIfRequested(context, publicUrl(context.config, url) + link);
  });
}

/** Points the demo's integrations at `/inbox/PROVIDER`, where their deliveries can be seen. */
function deliverToInbox(db: Database, url: string) {
  write(db, CLI, (tx) => {
    for (const stored of integrations(db)) {
      const parameters = decryptedParameters(db, stored);
      rewriteParameters(tx, stored, { ...parameters, url: `${url}/inbox/${stored.provider}` });
    }
  });
}

/** The dataset contains no tokens, so instructions for creating one are printed as well. */
async function exportDemo(context: DemoContext, target: string) {
  await writeLines(context, target, toText(demoOf(context).lines));
  if (target === "-" || context.config.quiet) return;
  context.print("To serve it from a file:");
  context.print(`  flagstone import ${target} --data demo.db`);
  context.print("  flagstone token create me --user 1 --data demo.db");
  context.print("  flagstone --data demo.db");
}

/** The token of Ada, an administrator of the example company. */
const TOKEN = {
  type: "user",
  name: "demo",
  userId: 1,
  projects: ["*"],
  environment: null,
  expiresAt: null,
} as const;

/** As many flags as show all that flags can be, and no more than fit into memory. */
function demoOf({ options }: DemoContext) {
  const size = {
    flags: wholeNumber(options, "flags", { preset: DEMO_SIZE.flags, minimum: 30, maximum: 50_000 }),
    events: wholeNumber(options, "events", { preset: DEMO_SIZE.events, maximum: 1_000_000 }),
  };
  return makeDemo(Date.now(), size);
}

const toText = (lines: readonly object[]) => lines.map((line) => `${JSON.stringify(line)}\n`);

interface Credentials {
  secret: string;
  link: string;
  /** Where the operator's own secret can be found, if there is one. */
  place: string | undefined;
}

/** For the operator's own token, prints only where it can be found. */
function printWelcome(context: Context, url: string, { secret: token, link, place }: Credentials) {
  const { config, print } = context;
  print(`URL:   ${url}`);
  printLink(context, url, link, "Ada, an administrator");
  print(`Token: ${place ?? token}`);
  if (config.quiet) return;
  print("       of Ada, an administrator; the demo is kept in memory; stop it with Ctrl-C");
  print("");
  print("Try, in another terminal:");
  print(place === undefined ? `  TOKEN=${token}` : `  TOKEN=…   # ${place}`);
  for (const [path, what] of TOUR)
    print(`  curl -H "Authorization: $TOKEN" ${url}/api/admin${path}   # ${what}`);
  print(`  curl -H "Authorization: $TOKEN" -H 'Content-Type: application/json' -d '{"query":"voucher"}' \\`);
  print(`    ${url}/api/admin/events/search   # free text in the log`);
}
