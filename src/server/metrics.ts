import { performance } from "node:perf_hooks";
import { HTTPResponse } from "h3";
import type { Registry } from "prom-client";
import { promClient } from "#on-demand";
import type { Database } from "../db/database.ts";
import { countAllEvents } from "../events/record.ts";
import type { Listener } from "../http/listener.ts";
import { type Operation, operationFinder } from "../http/operation.ts";
import { pathOf } from "../http/path.ts";
import { deliveryQueues, type Queue } from "../integrations/deliveries.ts";

/** In seconds; most responses take less than a millisecond. */
const BUCKETS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

export interface Metrics {
  /** Counts the listener's responses and times them to the last byte. */
  measured(listener: Listener): Listener;
  /** Adds one that is read on request. */
  gauge(name: string, help: string, read: () => number): void;
  /** All metrics in the Prometheus format. */
  answer(): Promise<HTTPResponse>;
}

interface MetricsOptions {
  db: Database;
  basePath: string;
  operations: readonly Operation[];
}

/** A server's metrics since it started; those about the database are read on request. */
export function createMetrics({ db, basePath, operations }: MetricsOptions): Metrics {
  const { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } = promClient();
  const registry = new Registry();
  const registers = [registry];
  const labelNames = ["operation", "status"];
  const requests = new Histogram({
    name: "flagstone_http_request_duration_seconds",
    help: "Duration of requests to the last byte, by operation and status",
    labelNames,
    buckets: BUCKETS,
    registers,
  });
  const aborted = new Counter({
    name: "flagstone_http_requests_aborted_total",
    help: "Requests whose client disconnected before the end of the response",
    registers,
  });
  const listening = new Gauge({
    name: "flagstone_streams",
    help: "Clients currently listening to a stream",
    labelNames: ["operation"],
    registers,
  });
  const gauge = gaugeIn(registers);
  mountGauges(db, gauge);
  mountDeliveryGauges(db, registers);
  collectDefaultMetrics({ register: registry });
  const find = operationFinder(operations, basePath);
  return {
    gauge,
    measured: (listener) => (req, res) => {
      const begin = performance.now();
      const found = find(req.method!, pathOf(req));
      const operation = found ? `${found.method} ${found.path}` : "other"; // keeps the list of labels short
      if (found?.isStream) listening.inc({ operation });
      res.once("close", () => {
        if (found?.isStream) listening.dec({ operation });
        if (found?.isStream && res.statusCode === 200) return; // how long a client listens is no measure of speed
        if (!res.writableFinished) aborted.inc();
        else requests.observe({ operation, status: res.statusCode }, (performance.now() - begin) / 1000);
      });
      return listener(req, res);
    },
    answer: async () =>
      new HTTPResponse(await registry.metrics(), {
        headers: { "content-type": registry.contentType, "cache-control": "no-store" },
      }),
  };
}

const gaugeIn =
  (registers: Registry[]): Metrics["gauge"] =>
  (name, help, read) =>
    void new (promClient().Gauge)({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });

function mountGauges(db: Database, gauge: Metrics["gauge"]) {
  const pragma = (name: string) => db.pragma(name, { simple: true }) as number;
  const bytes = () => pragma("page_count") * pragma("page_size");
  gauge("flagstone_database_bytes", "Size of the data file", bytes);
  gauge("flagstone_events", "Events in the log", () => countAllEvents(db));
}

/** The queue of each integration, read on request. */
function mountDeliveryGauges(db: Database, registers: Registry[]) {
  const gauge = (name: string, help: string, figureIn: (queue: Queue) => number) =>
    new (promClient().Gauge)({
      name,
      help,
      labelNames: ["integration", "provider"],
      registers,
      collect() {
        this.reset(); // drops deleted integrations
        for (const queue of deliveryQueues(db).all({}))
          this.set({ integration: String(queue.id), provider: queue.provider }, figureIn(queue));
      },
    });
  gauge(
    "flagstone_deliveries_waiting",
    "Events waiting to be delivered to an integration",
    ({ waiting }) => waiting,
  );
  gauge("flagstone_deliveries_oldest_seconds", "Age of the oldest waiting event; 0 for none", ageOf);
  gauge(
    "flagstone_deliveries_failed_in_a_row",
    "Failed attempts since the last success",
    ({ failures }) => failures,
  );
}

const ageOf = ({ oldestAt }: Queue) =>
  oldestAt === null ? 0 : Math.max(0, (Date.now() - Date.parse(oldestAt)) / 1000);
