import { signal } from "@preact/signals";
import { Link } from "wouter-preact";
import type { Output } from "./api.ts";
import { counted } from "./format.ts";
import { Button } from "./parts/controls.tsx";
import { Dialog } from "./parts/dialog.tsx";
import { Avatar, Badge, Icon, Nothing, Time } from "./parts/words.tsx";
import { change, isSettled, useRead } from "./reads.ts";
import { ownUser } from "./session.ts";

type Notifications = Output<"GET /api/admin/notifications">;

const isOpen = signal(false);

const show = (isShown: boolean) => {
  isOpen.value = isShown;
};

/** The bell with the number of unread notifications; read once the view has what it needs. A token has none. */
export const Bell = () => (isSettled.value && ownUser() ? <LoadedBell /> : null);

function LoadedBell() {
  const { data = [] } = useRead("GET /api/admin/notifications");
  const unread = data.filter(({ readAt }) => readAt === null);
  const label = unread.length > 0 ? `Notifications: ${unread.length} unread` : "Notifications";
  return (
    <>
      <button type="button" class="bare bell" aria-label={label} onClick={() => show(true)}>
        <Icon name="bell" />
        {unread.length > 0 && (
          <span class="unread" aria-hidden="true">
            {unread.length > 99 ? "99+" : unread.length}
          </span>
        )}
      </button>
      {isOpen.value && (
        <Dialog title="Notifications" onClose={() => show(false)}>
          <List all={data} unread={unread} />
        </Dialog>
      )}
    </>
  );
}

const markRead = (notifications: readonly { id: number }[]) =>
  change("POST /api/admin/notifications/read", {
    body: { notifications: notifications.map(({ id }) => id) },
  });

const List = ({ all, unread }: Record<"all" | "unread", Notifications>) => (
  <>
    {all.length === 0 && (
      <Nothing>Nothing yet: changes by others to your flags and projects appear here.</Nothing>
    )}
    {unread.length > 0 && (
      <Button icon="check" onClick={() => markRead(unread)}>
        Mark {counted(unread.length, "notification")} as read
      </Button>
    )}
    <ul class="feed">
      {all.map((notification) => (
        <Item key={notification.id} {...notification} />
      ))}
    </ul>
  </>
);

function Item({ id, message, link, createdAt, readAt, createdBy }: Notifications[number]) {
  const open = () => {
    show(false);
    if (readAt === null) void markRead([{ id }]);
  };
  return (
    <li class={readAt === null ? "unread" : undefined}>
      <Avatar url={createdBy.imageUrl} />
      <span>
        <Link href={link} onClick={open}>
          <bdi>{message}</bdi>
        </Link>{" "}
        <small>
          {readAt === null && <Badge>unread</Badge>} <Time at={createdAt} />
        </small>
      </span>
    </li>
  );
}
