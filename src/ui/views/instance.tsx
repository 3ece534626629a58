import { useFilters } from "../address.ts";
import { type Output, request } from "../api.ts";
import { BannerNotice } from "../banners.tsx";
import { count } from "../format.ts";
import { Button, Switch } from "../parts/controls.tsx";
import { ConfirmButton, FormDialog } from "../parts/dialog.tsx";
import { EditSection } from "../parts/edit.tsx";
import { check, choice, choicesOf, long, text, valuesOf } from "../parts/fields.tsx";
import { Filter, Filters, Search } from "../parts/filters.tsx";
import { EditableList } from "../parts/list.tsx";
import { resultOf, SIGN_IN_COLUMNS, type SignIn } from "../parts/sign-ins.tsx";
import { Table } from "../parts/table.tsx";
import { type Tile, Tiles } from "../parts/tiles.tsx";
import { Answer, Badge, Heading, Tabs, Time } from "../parts/words.tsx";
import { change, useRead } from "../reads.ts";
import { may } from "../session.ts";

export const InstanceTabs = () => (
  <Tabs
    label="Instance"
    tabs={[
      ["/instance", "Statistics"],
      ["/instance/banners", "Banners"],
      ["/instance/sign-ins", "Sign-ins"],
      ["/instance/signing-in", "Ways to sign in"],
    ]}
  />
);

type Statistics = Output<"GET /api/admin/instance-admin/statistics">;
type Config = Output<"GET /api/admin/ui-config">;

/** What the server has, how much of it, and what is set for all of it. */
export function Instance() {
  const statistics = useRead("GET /api/admin/instance-admin/statistics");
  const config = useRead("GET /api/admin/ui-config");
  return (
    <>
      <Heading title="Instance" />
      <InstanceTabs />
      <Answer read={config}>
        {(config) => (
          <>
            <p class="muted">
              Flagstone {config.slogan}, with the API of Unleash {config.version}. Its data file has the ID{" "}
              {config.versionInfo.instanceId}.
            </p>
            <Answer read={statistics}>{(statistics) => <Figures {...statistics} {...config} />}</Answer>
            <div class="columns">
              {may("UPDATE_MAINTENANCE_MODE") && <Maintenance {...config} />}
              {may("UPDATE_CORS") && <Origins config={config} />}
            </div>
          </>
        )}
      </Answer>
    </>
  );
}

const Figures = (all: Statistics & Config) => (
  <>
    {Object.entries(figuresOf(all)).map(([title, tiles]) => (
      <section key={title}>
        <h2>{title}</h2>
        <Tiles tiles={tiles} />
      </section>
    ))}
  </>
);

const figuresOf = (all: Statistics & Config): Record<string, Tile[]> => ({
  Flags: [
    ["Projects", count(all.projects), "/projects"],
    ["Flags", count(all.featureToggles), "/flags"],
    ["Archived flags", count(all.archivedFeatureToggles)],
    ["Environments", count(all.environments), "/environments"],
    ["Segments", count(all.segments), "/segments"],
    ["Context fields", count(all.contextFields), "/context-fields"],
    ["Changes in production, 30 days", count(all.productionChanges.last30), "/events"],
  ],
  People: [
    ["Users", count(all.users), "/people"],
    ["Active within 7 days", count(all.activeUsers.last7)],
    ["Active within 30 days", count(all.activeUsers.last30)],
    ["Groups", count(all.groups), "/people/groups"],
    ["Roles", count(all.roles), "/people/roles"],
    ["Service accounts", count(all.serviceAccounts), "/people/service-accounts"],
  ],
  Applications: [
    ...all.clientApps.map(
      ({ range, count: seen }): Tile => [APPLICATIONS[range], count(seen), "/applications"],
    ),
    ["API tokens", count(sum(Object.values(all.apiTokens))), "/tokens"],
    ["Reported hours of use, yesterday", count(all.previousDayMetricsBucketsCount.enabledCount)],
  ],
  "The most of all flags": [
    ["Strategies in an environment", most(all.maxEnvironmentStrategies, all, "featureEnvironmentStrategies")],
    ["Constraints of a strategy", most(all.maxConstraints, all, "constraints")],
    ["Values of a constraint", most(all.maxConstraintValues, all, "constraintValues")],
  ],
});

const APPLICATIONS = {
  "7d": "Seen within 7 days",
  "30d": "Seen within 30 days",
  allTime: "Seen at any time",
};

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

const most = (number: number, { resourceLimits }: Config, limit: string) => (
  <>
    {count(number)} <small>of {count(resourceLimits[limit] ?? 0)} possible</small>
  </>
);

const MAINTENANCE = "POST /api/admin/maintenance";

const Maintenance = ({ maintenanceMode }: Config) => (
  <section>
    <h2>Maintenance mode</h2>
    <p>
      <Badge tone={maintenanceMode ? "bad" : "good"}>{maintenanceMode ? "on" : "off"}</Badge> While it is on,
      changes are refused, in the page and by the API. Applications get their flags as ever.
    </p>
    {maintenanceMode ? (
      <Button kind="main" onClick={() => change(MAINTENANCE, { body: { enabled: false } })}>
        Switch it off
      </Button>
    ) : (
      <ConfirmButton
        label="Switch it on"
        kind="danger"
        parameter="maintenance"
        title="Switch maintenance mode on?"
        action="Switch it on"
        onConfirm={() => change(MAINTENANCE, { body: { enabled: true } })}
      >
        Nobody can change anything until it is switched off again: no flag, no project, no person. That
        includes scripts and integrations. Everyone sees above each page that it is on.
      </ConfirmButton>
    )}
  </section>
);

/** One to a line. */
const Origins = ({ config }: { config: Config }) => (
  <EditSection
    title="Origins of pages"
    now={config}
    read={() => request("GET /api/admin/ui-config")}
    toValues={({ frontendApiOrigins }) => ({ frontendApiOrigins: frontendApiOrigins.join("\n") })}
    fields={{
      frontendApiOrigins: long("Pages that may ask for flags", {
        hint: "One origin to a line, such as https://shop.example; * for any.",
      }),
    }}
    update={({ frontendApiOrigins }, ifStill) => {
      const body = { frontendApiOrigins: frontendApiOrigins.split(/\s+/).filter(Boolean) };
      return change("POST /api/admin/ui-config/cors", { body, ifStill });
    }}
  />
);

const BANNER = "/api/admin/banners/:id";

/** What is shown to everyone above every view. */
export const BannerList = () => (
  <EditableList
    title="Banners"
    noun="banner"
    above={<InstanceTabs />}
    read={useRead("GET /api/admin/banners")}
    rows={({ banners }) => banners}
    keyOf={({ id }) => id}
    nameOf={({ message }) => message}
    columns={[
      ["Banner", (banner) => <BannerNotice {...banner} />, "main"],
      [
        "Shown",
        ({ id, message, enabled }) => (
          <Switch
            isOn={enabled}
            label={`Show ${message}`}
            disabled={!may("UPDATE_INSTANCE_BANNERS")}
            onChange={(isOn) => change(`POST ${BANNER}/${isOn ? "on" : "off"}`, { params: { id } })}
          />
        ),
      ],
      ["Created", ({ createdAt }) => <Time at={createdAt} />],
    ]}
    may={() => may("UPDATE_INSTANCE_BANNERS")}
    path={BANNER}
    loss="It is no longer shown to anyone. To show it again later, switch it off instead."
    editor={({ row, ...dialog }) => (
      <FormDialog
        {...dialog}
        initial={{ ...valuesOf(row, EMPTY_BANNER), variant: row?.variant ?? "info" }}
        fields={({ values: { link } }) => ({
          message: long("Message", { hint: "Markdown: **bold**, [a link](/events)." }),
          variant: choice("Kind", choicesOf(["info", "success", "warning", "error"])),
          link: text("Link", { hint: "An address, or the word dialog for one of its own." }),
          linkText: link !== "" && text("Text of the link"),
          dialogTitle: link === "dialog" && text("Title of the dialog"),
          dialog: link === "dialog" && long("Text of the dialog"),
          sticky: check("Stays in sight when the page is scrolled"),
          enabled: check("Shown"),
        })}
        send={(body) =>
          row
            ? change(`PUT ${BANNER}`, { params: { id: row.id }, body })
            : change("POST /api/admin/banners", { body })
        }
      />
    )}
  />
);

const EMPTY_BANNER = {
  message: "",
  icon: "",
  link: "",
  linkText: "",
  dialogTitle: "",
  dialog: "",
  sticky: false,
  enabled: true,
};

const PAGE = 50;

const SIGN_IN_FILTERS = { query: "", result: "" };

/** Who has signed in, or has tried to. */
export function SignIns() {
  const read = useRead("GET /api/admin/logins");
  const [{ query, result }] = useFilters(SIGN_IN_FILTERS);
  return (
    <>
      <Heading title="Sign-ins" />
      <InstanceTabs />
      <Filters of={SIGN_IN_FILTERS}>
        <Search label="Search sign-ins" />
        <Filter label="Result" name="result" choices={choicesOf(["signed in", "refused"])} />
      </Filters>
      <Answer read={read}>
        {({ events }) => (
          <Table
            caption="Sign-ins of the last 90 days"
            rows={events.filter((attempt) => matches(attempt, query, result))}
            keyOf={({ id }) => id}
            empty={events.length > 0 ? "No sign-ins match." : "Nobody has signed in within 90 days."}
            page={{ size: PAGE }}
            columns={[
              ["Who", ({ username }) => <bdi>{username || "an unknown name"}</bdi>, "main"],
              ...SIGN_IN_COLUMNS,
            ]}
          />
        )}
      </Answer>
    </>
  );
}

const matches = (attempt: SignIn, query: string, result: string) =>
  `${attempt.username} ${attempt.ip}`.toLowerCase().includes(query.toLowerCase()) &&
  (result === "" || result === resultOf(attempt));
