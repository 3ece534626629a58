import http from "node:http";
import { setTimeout } from "node:timers/promises";
import { type Case, report } from "./cases.ts";
import { CLIENT, FRONTEND, flagName } from "./client-dataset.ts";
import { type Figure, type Load, measure, median, type Subject, usage } from "./load.ts";
import type { Order, Recorded } from "./server.ts";

const SPEC = { "unleash-client-spec": "5.2.0" };

const features: Case = { name: "features", path: "/api/client/features", token: CLIENT, headers: SPEC };

/** The request an SDK makes, uncompressed and compressed. */
export const READS: readonly Case[] = [
  features,
  { ...features, name: "features, gzip", headers: { ...SPEC, "accept-encoding": "gzip" } },
];

const frontend: Case = {
  name: "frontend",
  path: "/api/frontend?userId=7&country=DE",
  token: FRONTEND,
};

/** Figures of Flagstone and of a bare server that sends the same bytes. */
export interface ReadFigures {
  name: string;
  bytes: number;
  bare: Figure;
  warm: Figure;
  bare304: Figure;
  notModified: Figure;
}

interface Measuring {
  seconds: number;
  rounds: number;
}

/** The columns are interleaved over several rounds, so that noise on the machine affects all of them. */
export async function measureReads(
  flagstone: Subject,
  bare: Subject,
  one: Case,
  { seconds, rounds }: Measuring,
): Promise<ReadFigures> {
  const recorded = await recordBytes(flagstone, one);
  bare.child.send({ kind: "answer", key: one.name, recorded } satisfies Order);
  const load: Load = { connections: 8, seconds };
  const conditional: Load = { ...load, connections: 32, etag: recorded.headers.etag };
  const columns = {
    bare: () => measure(bare, "bare", one, load),
    warm: () => measure(flagstone, "warm", one, load),
    bare304: () => measure(bare, "bare", one, conditional),
    notModified: () => measure(flagstone, "warm", one, conditional),
  };
  const figures = { bare: [], warm: [], bare304: [], notModified: [] } as Record<
    keyof typeof columns,
    Figure[]
  >;
  for (let round = 0; round < rounds; round++)
    for (const name of Object.keys(columns) as Array<keyof typeof columns>)
      figures[name].push(await columns[name]());
  const bytes = Number(recorded.headers["content-length"]);
  return {
    name: one.name,
    bytes,
    bare: median(figures.bare),
    warm: median(figures.warm),
    bare304: median(figures.bare304),
    notModified: median(figures.notModified),
  };
}

/** A response byte for byte, still compressed. */
function recordBytes({ ports }: Subject, { path, token, headers }: Case): Promise<Recorded> {
  const options = {
    port: ports.warm,
    host: "127.0.0.1",
    path,
    headers: { authorization: token, ...headers },
  };
  return new Promise((resolve, reject) => {
    const request = http.get(options, async (response) => {
      const { connection: _, date: __, "keep-alive": ___, ...kept } = response.headers;
      const body = Buffer.concat(await response.toArray()).toString("base64");
      resolve({ headers: kept as Record<string, string>, body, isBase64: true });
    });
    request.on("error", reject);
  });
}

/** All flags for one context, evaluated on each request. */
export const measureFrontend = (flagstone: Subject, { seconds }: Measuring) =>
  measure(flagstone, "warm", frontend, { connections: 8, seconds });

/** By then the collected usage has been flushed. */
const FLUSHED_MS = 4000;

/** Usage reports, relative to a bare server that only reads the request; includes flushing the usage to disk. */
export async function measureReports(flagstone: Subject, bare: Subject, { seconds }: Measuring) {
  const one = report(flagName);
  bare.child.send({ kind: "answer", key: one.name, recorded: { headers: {}, body: "" } } satisfies Order);
  const load: Load = { connections: 8, seconds: 4 * seconds }; // the JIT needs longer to warm up
  const alone = await measure(bare, "bare", one, load);
  await measure(flagstone, "warm", one, load);
  await setTimeout(FLUSHED_MS);
  const { rate, cpu } = await measure(flagstone, "warm", one, load);
  await usage(flagstone);
  await setTimeout(FLUSHED_MS);
  const writing = await usage(flagstone);
  return {
    bare: alone.cpu,
    each: cpu + writing.cpu / (rate * load.seconds),
    loopDelay: writing.loopDelay.max,
  };
}
