import { useEffect } from "preact/hooks";
import { Link, useParams } from "wouter-preact";
import { useDialog, useFilters } from "../../address.ts";
import type { Output } from "../../api.ts";
import { refreshEvery } from "../../live.ts";
import { Answer } from "../../parts/answer.tsx";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Icon } from "../../parts/icon.tsx";
import { tell } from "../../parts/messages.tsx";
import { Snippet } from "../../parts/secret.tsx";
import { Pager, Table } from "../../parts/table.tsx";
import { Badge, Heading, Summary, Time } from "../../parts/words.tsx";
import { change, useRead } from "../../reads.ts";
import { may } from "../../session.ts";
import { nameOf } from "./integration-name.ts";
import { State } from "./integrations.tsx";

type Integration = Output<"GET /api/admin/addons/:id">;
type Delivery = Output<"GET /api/admin/addons/:id/events">["integrationEvents"][number];

/** The deliveries of an integration, newest first. */
export function View() {
  const { id = "" } = useParams<{ id: string }>();
  const read = useRead("GET /api/admin/addons/:id", { params: { id } });
  const providers = useRead("GET /api/admin/addons").data?.providers ?? [];
  return (
    <Answer read={read}>
      {(integration) => (
        <>
          <p>
            <Link href="/integrations">Integrations</Link>
          </p>
          <Heading title={<bdi>{nameOf(integration, providers)}</bdi>}>
            {may("UPDATE_ADDON") && <Actions integration={integration} />}
          </Heading>
          <p>
            <State integration={integration} />
          </p>
          <Deliveries id={id} />
        </>
      )}
    </Answer>
  );
}

function Actions({ integration: { id, delivery } }: { integration: Integration }) {
  const params = { id };
  const test = async () => {
    const { state, stateDetails } = await change("POST /api/admin/addons/:id/test", { params });
    if (state === "failed") throw new Error(stateDetails);
    tell(stateDetails);
  };
  return (
    <>
      <Button icon="play" onClick={test}>
        Test
      </Button>
      <Link class="button" href={`/integrations?edit=${id}`}>
        <Icon name="edit" /> Edit
      </Link>
      {delivery?.paused ? (
        <Button icon="play" onClick={() => change("POST /api/admin/addons/:id/resume", { params })}>
          Resume
        </Button>
      ) : (
        <Button icon="pause" onClick={() => change("POST /api/admin/addons/:id/pause", { params })}>
          Pause
        </Button>
      )}
    </>
  );
}

const PAGE = 50;

/** How often deliveries are refetched, since the event stream doesn't report them. */
const REFRESH_MS = 1000;

function Deliveries({ id }: { id: string }) {
  useEffect(() => refreshEvery(REFRESH_MS), []);
  const [filters, setFilters] = useFilters({ offset: "0" });
  const details = useDialog("delivery");
  const offset = Number(filters.offset) || 0;
  const read = useRead("GET /api/admin/addons/:id/events", {
    params: { id },
    query: { limit: PAGE, offset },
  });
  return (
    <Answer read={read}>
      {({ integrationEvents: deliveries }) => (
        <>
          <Table
            caption="Deliveries"
            rows={deliveries}
            keyOf={(delivery) => delivery.id}
            empty="Nothing has been delivered yet."
            columns={[
              { title: "When", cell: ({ createdAt }) => <Time at={createdAt} /> },
              { title: "State", cell: ({ state }) => <DeliveryState state={state} /> },
              {
                title: "Event",
                kind: "main",
                cell: ({ event }) => <Summary text={event.summary ?? event.type} />,
              },
              { title: "Attempt", kind: "number", cell: ({ details }) => String(details.attempt ?? "") },
              { title: "Result", kind: "main", cell: ({ stateDetails }) => <bdi>{stateDetails}</bdi> },
              {
                title: "Actions",
                kind: "tools",
                cell: ({ id: delivery, event }) => (
                  <Button onClick={() => details.open(delivery)}>
                    Details<span class="unseen"> of event {event.id}</span>
                  </Button>
                ),
              },
            ]}
          />
          <Pager
            offset={offset}
            limit={PAGE}
            total={deliveries.length < PAGE ? offset + deliveries.length : Number.POSITIVE_INFINITY}
            onMove={(offset) => setFilters({ offset: String(offset) })}
          />
          <Details
            integration={id}
            delivery={deliveries.find((delivery) => delivery.id === details.of)}
            onClose={details.close}
          />
        </>
      )}
    </Answer>
  );
}

const WORDS = { success: "delivered", failed: "failed", successWithErrors: "delivered with errors" } as const;

const DeliveryState = ({ state }: Pick<Delivery, "state">) => (
  <Badge tone={state === "failed" ? "bad" : "good"}>{WORDS[state]}</Badge>
);

interface DetailsProps {
  integration: string;
  delivery: Delivery | undefined;
  onClose(): void;
}

function Details({ integration, delivery, onClose }: DetailsProps) {
  if (!delivery) return null;
  const redeliver = async () => {
    await change("POST /api/admin/addons/:id/events/:eventId/redeliver", {
      params: { id: integration, eventId: delivery.id },
    });
    tell("It will be delivered again.");
    onClose();
  };
  return (
    <Dialog title={`Delivery of ${delivery.event.type}`} onClose={onClose} isWide>
      <p>
        <Summary text={delivery.event.summary ?? delivery.event.type} />
      </p>
      <p>
        <DeliveryState state={delivery.state} /> <Time at={delivery.createdAt} />: {delivery.stateDetails}
      </p>
      <Snippet text={JSON.stringify(delivery.details, null, 2)} label="Details" />
      {may("UPDATE_ADDON") && (
        <div class="submit">
          <Button kind="main" icon="refresh" onClick={redeliver}>
            Redeliver
          </Button>
        </div>
      )}
    </Dialog>
  );
}
