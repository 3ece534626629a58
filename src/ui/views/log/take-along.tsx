import { addressOf, request } from "../../api.ts";
import { counted } from "../../format.ts";
import { Button } from "../../parts/button.tsx";
import { tell } from "../../parts/messages.tsx";
import { CopyButton } from "../../parts/secret.tsx";
import type { queryOf } from "./log-filters.tsx";

interface TakeAlongProps {
  query: ReturnType<typeof queryOf>;
  total: number;
}

/** What is found as a link, as a command, and as a file with a line for each event. */
export const TakeAlong = ({ query, total }: TakeAlongProps) => (
  <>
    <CopyButton label="Copy link" text={location.href} />
    <CopyButton label="Copy curl" text={toCurl(query)} />
    <Button onClick={() => download(query)} disabled={total === 0}>
      Download JSONL
    </Button>
  </>
);

const toCurl = (query: TakeAlongProps["query"]) => {
  const address = new URL(addressOf("GET /api/admin/search/events", { query }), document.baseURI);
  return `curl -H "Authorization: $TOKEN" '${address.href.replaceAll("'", "%27")}'`;
};

/** In one request. */
const PAGE = 1000;
/** In one file: what is more is fetched by the API, and not kept in a window's memory. */
const MOST = 50_000;

async function download(query: TakeAlongProps["query"]) {
  const lines: string[] = [];
  for (let offset = 0; offset < MOST; offset += PAGE) {
    const { events } = await request("GET /api/admin/search/events", {
      query: { ...query, offset, limit: PAGE },
    });
    lines.push(...events.map((event) => `${JSON.stringify(event)}\n`));
    if (events.length < PAGE) break;
  }
  save(new Blob(lines, { type: "application/jsonl" }), "events.jsonl");
  tell(`Downloaded ${counted(lines.length, "event")}${lines.length === MOST ? ", the newest ones" : ""}`);
}

function save(content: Blob, name: string) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
