import { pathTo } from "../address.ts";
import { TableSection } from "../parts/table.tsx";
import { Badge, NameLink, Time } from "../parts/words.tsx";
import { useRead } from "../reads.ts";

/** What applications ask for in vain: flags that were deleted too early, or whose names are misspelt. */
export const UnknownFlags = ({ isCard = false }) => (
  <TableSection
    title="Unknown flags"
    isCard={isCard}
    above={
      <p class="muted">
        Applications have asked for these within a day, but they don't exist: to them, they are off.
      </p>
    }
    rows={useRead("GET /api/admin/metrics/unknown-flags").data?.unknownFlags ?? []}
    keyOf={({ name }) => name}
    columns={[
      ["Flag", ({ name }) => <bdi>{name}</bdi>, "main"],
      [
        "Asked for by",
        ({ reports }) =>
          reports.map(({ appName, environments }) => (
            <span key={appName} class="line">
              <NameLink to={pathTo("applications", appName)}>{appName}</NameLink>{" "}
              {environments.map(({ environment }) => (
                <Badge key={environment}>{environment}</Badge>
              ))}
            </span>
          )),
      ],
      ["Last asked for", ({ lastSeenAt }) => <Time at={lastSeenAt} />],
      !isCard && ["Last changed", ({ lastEventAt }) => <Time at={lastEventAt} />],
    ]}
  />
);
