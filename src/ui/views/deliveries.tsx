import { useEffect } from "preact/hooks";
import { Link, useParams } from "wouter-preact";
import { useOffset } from "../address.ts";
import type { Output } from "../api.ts";
import { tell } from "../messages.ts";
import { Button } from "../parts/controls.tsx";
import { Dialog, Opener, useClose } from "../parts/dialog.tsx";
import { Table } from "../parts/table.tsx";
import { Snippet } from "../parts/tokens.tsx";
import { Answer, Badge, Heading, Icon, Summary, Time } from "../parts/words.tsx";
import { change, refreshEvery, useRead } from "../reads.ts";
import { may } from "../session.ts";
import { INTEGRATION, type Integration, nameOf, State } from "./integrations.tsx";

/** The deliveries of an integration, newest first. */
export function Deliveries() {
  const { id = "" } = useParams<{ id: string }>();
  const read = useRead(`GET ${INTEGRATION}`, { params: { id } });
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
          <DeliveryTable id={id} />
        </>
      )}
    </Answer>
  );
}

function Actions({ integration: { id, delivery } }: { integration: Integration }) {
  const params = { id };
  const test = async () => {
    const { state, stateDetails } = await change(`POST ${INTEGRATION}/test`, { params });
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
      <Button
        icon={delivery?.paused ? "play" : "pause"}
        onClick={() => change(`POST ${INTEGRATION}/${delivery?.paused ? "resume" : "pause"}`, { params })}
      >
        {delivery?.paused ? "Resume" : "Pause"}
      </Button>
    </>
  );
}

const PAGE = 50;

/** How often deliveries are refetched, since the event stream doesn't report them. */
const REFRESH_MS = 1000;

type Delivery = Output<`GET ${typeof INTEGRATION}/events`>["integrationEvents"][number];

function DeliveryTable({ id }: { id: string }) {
  useEffect(() => refreshEvery(REFRESH_MS), []);
  const offset = useOffset();
  const query = { limit: PAGE, offset };
  const read = useRead(`GET ${INTEGRATION}/events`, { params: { id }, query });
  return (
    <Answer read={read}>
      {({ integrationEvents: deliveries }) => (
        <Table
          caption="Deliveries"
          rows={deliveries}
          keyOf={(delivery) => delivery.id}
          empty="Nothing has been delivered yet."
          page={{
            size: PAGE,
            total: deliveries.length < PAGE ? offset + deliveries.length : Number.POSITIVE_INFINITY,
          }}
          columns={[
            ["When", ({ createdAt }) => <Time at={createdAt} />],
            ["State", ({ state }) => <DeliveryState state={state} />],
            ["Event", ({ event }) => <Summary text={event.summary ?? event.type} />, "main"],
            ["Attempt", ({ details }) => String(details.attempt ?? ""), "number"],
            ["Result", ({ stateDetails }) => <bdi>{stateDetails}</bdi>, "main"],
            [
              "Actions",
              (delivery) => (
                <Opener
                  label="Details"
                  about={` of event ${delivery.event.id}`}
                  parameter="delivery"
                  of={delivery.id}
                >
                  <Details integration={id} delivery={delivery} />
                </Opener>
              ),
              "tools",
            ],
          ]}
        />
      )}
    </Answer>
  );
}

const WORDS = { success: "delivered", failed: "failed", successWithErrors: "delivered with errors" } as const;

const DeliveryState = ({ state }: Pick<Delivery, "state">) => (
  <Badge tone={state === "failed" ? "bad" : "good"}>{WORDS[state]}</Badge>
);

type DetailsProps = { integration: string; delivery: Delivery };

function Details({ integration, delivery }: DetailsProps) {
  const { event, state, createdAt, stateDetails, details } = delivery;
  const params = { id: integration, eventId: delivery.id };
  const close = useClose();
  const redeliver = async () => {
    await change(`POST ${INTEGRATION}/events/:eventId/redeliver`, { params });
    tell("It will be delivered again.");
    close();
  };
  return (
    <Dialog title={`Delivery of ${event.type}`} isWide>
      <p>
        <Summary text={event.summary ?? event.type} />
      </p>
      <p>
        <DeliveryState state={state} /> <Time at={createdAt} />: {stateDetails}
      </p>
      <Snippet text={JSON.stringify(details, null, 2)} label="Details" />
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
