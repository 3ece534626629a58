import { Link } from "wouter-preact";
import { pathTo, useFilters } from "../address.ts";
import type { Output } from "../api.ts";
import { Answer, Nothing } from "../parts/answer.tsx";
import { Button } from "../parts/button.tsx";
import { EventList } from "../parts/events.tsx";
import { Table } from "../parts/table.tsx";
import { Avatar, Badge, Heading, Share, Time } from "../parts/words.tsx";
import { change, useRead } from "../reads.ts";
import { FirstSteps } from "./first-steps.tsx";

type Dashboard = Output<"GET /api/admin/personal-dashboard">;

/** The user's projects and flags, recent activity, and notifications. */
export function View() {
  const dashboard = useRead("GET /api/admin/personal-dashboard");
  return (
    <>
      <Heading title="Home" />
      <FirstSteps />
      <Answer read={dashboard}>
        {({ projects, flags }) => (
          <div class="columns">
            <div>
              <Projects projects={projects} />
              {projects.length > 0 && <Latest projects={projects} />}
            </div>
            <div>
              <Notifications />
              <Flags flags={flags} />
            </div>
          </div>
        )}
      </Answer>
    </>
  );
}

const Projects = ({ projects }: Pick<Dashboard, "projects">) => (
  <section>
    <h2>Your projects</h2>
    <Table
      caption="Your projects"
      rows={projects}
      keyOf={({ id }) => id}
      empty={
        <>
          You aren't a member of any project. <Link href="/projects">All projects</Link>
        </>
      }
      columns={[
        {
          title: "Project",
          kind: "main",
          cell: ({ id, name }) => (
            <Link href={pathTo("projects", id)}>
              <bdi>{name}</bdi>
            </Link>
          ),
        },
        {
          title: "Health",
          cell: ({ health, name }) => <Share percent={health} label={`Health of ${name}`} />,
        },
        { title: "Flags", kind: "number", cell: ({ featureCount }) => featureCount },
        { title: "Members", kind: "number", cell: ({ memberCount }) => memberCount },
      ]}
    />
  </section>
);

/** How many events are shown. */
const LATEST = 10;

/** The latest events of one of the projects. */
function Latest({ projects }: Pick<Dashboard, "projects">) {
  const [{ project }, setFilters] = useFilters({ project: projects[0]!.id });
  const read = useRead("GET /api/admin/search/events", {
    query: { project: `IS:${project}`, limit: LATEST },
  });
  return (
    <section>
      <div class="heading">
        <h2>Recent activity</h2>
        <select
          aria-label="Project"
          value={project}
          onChange={(event) => setFilters({ project: event.currentTarget.value })}
        >
          {projects.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </div>
      <Answer read={read}>
        {({ events }) => (
          <>
            <EventList events={events} />
            <Link href={`/events?project=${encodeURIComponent(project)}`}>All events of this project</Link>
          </>
        )}
      </Answer>
    </section>
  );
}

function Notifications() {
  const read = useRead("GET /api/admin/notifications");
  const markRead = (notifications: number[]) =>
    change("POST /api/admin/notifications/read", { body: { notifications } });
  return (
    <section>
      <Answer read={read}>
        {(all) => {
          const unread = all.filter(({ readAt }) => readAt === null);
          return (
            <>
              <div class="heading">
                <h2>Notifications</h2>
                {unread.length > 0 && (
                  <Button icon="check" onClick={() => markRead(unread.map(({ id }) => id))}>
                    Mark all {unread.length} as read
                  </Button>
                )}
              </div>
              {all.length === 0 && <Nothing>No notifications yet.</Nothing>}
              <ul class="feed short">
                {all.map(({ id, message, link, createdAt, readAt, createdBy }) => (
                  <li key={id} class={readAt === null ? "unread" : undefined}>
                    <Avatar url={createdBy.imageUrl} />
                    <span>
                      <Link href={link} onClick={() => void (readAt ?? markRead([id]))}>
                        <bdi>{message}</bdi>
                      </Link>{" "}
                      <small>
                        {readAt === null && <Badge>unread</Badge>} <Time at={createdAt} />
                      </small>
                    </span>
                  </li>
                ))}
              </ul>
            </>
          );
        }}
      </Answer>
    </section>
  );
}

const Flags = ({ flags }: Pick<Dashboard, "flags">) => (
  <section>
    <h2>Your flags</h2>
    {flags.length === 0 && <Nothing>Flags you create or mark as favorites appear here.</Nothing>}
    <ul class="plain short">
      {flags.map(({ name, project, type }) => (
        <li key={name}>
          <Link href={pathTo("projects", project, "features", name)}>
            <bdi>{name}</bdi>
          </Link>{" "}
          <small>
            {type}, in <bdi>{project}</bdi>
          </small>
        </li>
      ))}
    </ul>
  </section>
);
