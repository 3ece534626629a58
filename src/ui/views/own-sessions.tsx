import type { Output } from "../api.ts";
import { fullTime } from "../format.ts";
import { Answer } from "../parts/answer.tsx";
import { Button, IconButton } from "../parts/button.tsx";
import { Table } from "../parts/table.tsx";
import { Badge, Time } from "../parts/words.tsx";
import { change, useRead } from "../reads.ts";

type Session = Output<"GET /api/admin/user/sessions">["sessions"][number];

/** Where the user is signed in, to sign out from elsewhere; a token has no sessions. */
export function OwnSessions() {
  const read = useRead("GET /api/admin/user/sessions");
  return (
    <Answer read={read}>
      {({ sessions }) =>
        sessions.length > 0 && (
          <section>
            <h2>Sessions</h2>
            <Table
              caption="Sessions"
              rows={sessions}
              keyOf={({ id }) => id}
              empty=""
              columns={[
                { title: "Signed in", kind: "main", cell: ({ createdAt }) => <Time at={createdAt} /> },
                { title: "Expires", cell: ({ expiresAt }) => <Time at={expiresAt} /> },
                {
                  title: "Actions",
                  kind: "tools",
                  cell: (session) =>
                    session.isCurrent ? <Badge tone="good">this session</Badge> : <End session={session} />,
                },
              ]}
            />
            {sessions.length > 1 && (
              <Button onClick={() => change("DELETE /api/admin/user/sessions")}>
                Sign out everywhere else
              </Button>
            )}
          </section>
        )
      }
    </Answer>
  );
}

const End = ({ session: { id, createdAt } }: { session: Session }) => (
  <IconButton
    icon="remove"
    label={`End the session of ${fullTime(createdAt)}`}
    onClick={() => change("DELETE /api/admin/user/sessions/:id", { params: { id } })}
  />
);
