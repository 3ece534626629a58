import { Gauge, type Registry } from "prom-client";
import type { Database } from "../db/statement.ts";
import { deliveryQueues, type Queue } from "../integrations/deliveries.ts";

const labelNames = ["integration", "provider"];

/** The queue of each integration, read on request. */
export function mountDeliveryGauges(db: Database, registers: Registry[]) {
  const gauge = (name: string, help: string, figureIn: (queue: Queue) => number) =>
    new Gauge({
      name,
      help,
      labelNames,
      registers,
      collect() {
        this.reset(); // drops deleted integrations
        for (const queue of deliveryQueues(db))
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
