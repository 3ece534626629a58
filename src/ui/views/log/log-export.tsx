import { addressOf, request } from "../../api.ts";
import { counted } from "../../format.ts";
import { Button } from "../../parts/button.tsx";
import { tell } from "../../parts/messages.tsx";
import { CopyButton } from "../../parts/secret.tsx";
import type { queryOf } from "./log-filters.tsx";

interface LogExportProps {
  query: ReturnType<typeof queryOf>;
  total: number;
}

/** The search as a link, as a curl command, and its results as a JSONL file. */
export const LogExport = ({ query, total }: LogExportProps) => (
  <>
    <CopyButton label="Copy link" text={location.href} />
    <CopyButton label="Copy curl" text={toCurl(query)} />
    <Button onClick={() => download(query)} disabled={total === 0}>
      Download JSONL
    </Button>
  </>
);

const toCurl = (query: LogExportProps["query"]) => {
  const address = new URL(addressOf("GET /api/admin/search/events", { query }), document.baseURI);
  return `curl -H "Authorization: $TOKEN" '${address.href.replaceAll("'", "%27")}'`;
};

/** Events per request. */
const PAGE = 1000;
/** Events per file, which is built in memory; for more, use the API. */
const LIMIT = 50_000;

async function download(query: LogExportProps["query"]) {
  const lines: string[] = [];
  for (let offset = 0; offset < LIMIT; offset += PAGE) {
    const { events } = await request("GET /api/admin/search/events", {
      query: { ...query, offset, limit: PAGE },
    });
    lines.push(...events.map((event) => `${JSON.stringify(event)}\n`));
    if (events.length < PAGE) break;
  }
  save(new Blob(lines, { type: "application/jsonl" }), "events.jsonl");
  tell(`Downloaded ${counted(lines.length, "event")}${lines.length === LIMIT ? ", the newest ones" : ""}`);
}

function save(content: Blob, name: string) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
