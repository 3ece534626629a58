import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import type { Output } from "../api.ts";
import { inDays, nameOf } from "../format.ts";
import { tell } from "../messages.ts";
import { Button, IconButton, Switch } from "../parts/controls.tsx";
import { Dialog, FormDialog, Opener } from "../parts/dialog.tsx";
import { type Choice, checks, choice, long, named, text, valuesOf } from "../parts/fields.tsx";
import { DESCRIPTION, EditableList, NAME } from "../parts/list.tsx";
import { createPasswordLink, PersonalTokens, Secret } from "../parts/tokens.tsx";
import { Avatar, Badge, Tabs, Time } from "../parts/words.tsx";
import { change, useRead } from "../reads.ts";
import { isAdmin, ownUser } from "../session.ts";

/** The views of users and their permissions. */
const PeopleTabs = () => (
  <Tabs
    label="People"
    tabs={[
      ["/people", "Users"],
      ["/people/groups", "Groups"],
      ["/people/roles", "Roles"],
      ["/people/service-accounts", "Service accounts"],
      ["/people/invitations", "Invitations"],
    ]}
  />
);

const USER = "/api/admin/user-admin/:id";

/** A link that is shown once. */
interface OnceLink {
  title: string;
  label: string;
  /** Relative to the base of the page. */
  path: string;
}

/** Everyone who can sign in. Has no password field: new users set their own by a link. */
export function Users() {
  const read = useRead("GET /api/admin/user-admin");
  const [link, setLink] = useState<OnceLink>();
  const roles = read.data?.rootRoles ?? [];
  const showLink = (name: string, path: string) =>
    setLink({ title: `Password link for ${name}`, label: PASSWORD_LINK, path });
  return (
    <>
      <EditableList
        title="Users"
        noun="user"
        above={<PeopleTabs />}
        read={read}
        rows={({ users }) => users}
        keyOf={({ id }) => id}
        nameOf={nameOf}
        columns={[
          [
            "Name",
            (user) => (
              <>
                <Avatar url={user.imageUrl} /> <bdi>{nameOf(user)}</bdi>
              </>
            ),
            "main",
          ],
          ["Username", ({ username }) => <bdi>{username}</bdi>],
          ["E-mail", ({ email }) => <bdi>{email}</bdi>],
          ["Root role", ({ rootRole }) => roles.find(({ id }) => id === rootRole)?.name],
          ["Last seen", ({ seenAt }) => <Time at={seenAt} />],
          ["Created", ({ createdAt }) => <Time at={createdAt} />],
        ]}
        may={(action, row) => isAdmin() && !(action === "DELETE" && row?.id === ownUser()?.id)}
        path={USER}
        loss="Their sessions, personal tokens and roles will be deleted. Their events stay in the log."
        tools={(user) => (
          <IconButton
            icon="key"
            label={`Create a password reset link for ${nameOf(user)}`}
            onClick={async () => showLink(nameOf(user), await createPasswordLink(user))}
          />
        )}
        edit={{
          toValues: (now) => valuesOf(now, { username: "", email: "", name: "", rootRole: viewerIn(roles) }),
          fields: (_, row) => ({
            username: !row && text("Username", { hint: "A username or an e-mail address is required." }),
            email: text("E-mail address", { type: "email" }),
            name: text("Name"),
            rootRole: choice("Root role", named(roles)),
          }),
          below: (row) =>
            row && (
              <>
                <p class="muted">
                  <Link href="/people/roles">What each role can do</Link>
                </p>
                <div class="actions">
                  <Button onClick={() => endSessions(row)}>Sign out everywhere</Button>
                  <Button onClick={() => resetSecondFactor(row)}>Reset the second factor</Button>
                </div>
              </>
            ),
          toBody: ({ rootRole, name, ...names }, isNew) => ({
            rootRole,
            ...(isNew ? filled({ name }) : { name }),
            ...filled(names),
          }),
          onCreated: (created) => created.inviteLink && showLink(nameOf(created), created.inviteLink),
        }}
      />
      {link && <LinkDialog {...link} onClose={() => setLink(undefined)} />}
    </>
  );
}

async function endSessions(user: Parameters<typeof nameOf>[0]) {
  await change(`DELETE ${USER}/sessions`, { params: { id: user.id } });
  tell(`${nameOf(user)} is signed out everywhere. Tokens stay.`);
}

async function resetSecondFactor(user: Parameters<typeof nameOf>[0]) {
  await change(`DELETE ${USER}/second-factor`, { params: { id: user.id } });
  tell(`${nameOf(user)} needs no second factor until they set one up again.`);
}

const PASSWORD_LINK =
  "For 24 hours, anyone with this link can set the password, once. No e-mail is sent: pass it on yourself.";

/** The role that new users have at first. */
const viewerIn = (roles: ReadonlyArray<{ id: number; name: string }>) =>
  roles.find(({ name }) => name === "Viewer")?.id ?? 0;

/** Without the empty ones. */
const filled = <K extends string>(values: Record<K, string>) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== "")) as Partial<
    Record<K, string>
  >;

const LinkDialog = ({ title, label, path, onClose }: OnceLink & { onClose(): void }) => (
  <Dialog title={title} onClose={onClose} isWide>
    <Secret value={new URL(path.replace(/^\//, ""), document.baseURI).href} label={label} />
  </Dialog>
);

/** Groups of users who share roles. */
export function Groups() {
  const people = useRead("GET /api/admin/user-admin").data;
  const users = (people?.users ?? []).map((user) => [user.id, nameOf(user)] as const);
  return (
    <EditableList
      title="Groups"
      noun="group"
      above={<PeopleTabs />}
      read={useRead("GET /api/admin/groups")}
      rows={({ groups }) => groups}
      keyOf={({ id }) => id}
      nameOf={({ name }) => name}
      columns={[
        NAME,
        DESCRIPTION,
        ["Members", ({ users }) => users.length, "number"],
        ["Projects", ({ projects }) => <bdi>{projects.join(", ")}</bdi>],
      ]}
      may={isAdmin}
      path="/api/admin/groups/:id"
      loss="Members lose the permissions they have only through this group."
      edit={{
        toValues: (now) => ({
          ...valuesOf(now, EMPTY_GROUP),
          users: (now?.users ?? []).map(({ user }) => user.id) as readonly number[],
        }),
        fields: () => ({
          name: text("Name", { required: true }),
          description: long("Description"),
          rootRole: choice("Root role", [[null, "none"], ...named(people?.rootRoles)], {
            hint: "Given to all members, in addition to their own.",
          }),
          users: checks("Members", users),
        }),
        toBody: ({ users, ...rest }) => ({ ...rest, users: users.map((id) => ({ user: { id } })) }),
      }}
    />
  );
}

const EMPTY_GROUP = { name: "", description: "", rootRole: null as number | null };

type Role = Output<"GET /api/admin/roles">["roles"][number];

const isCustom = ({ type }: Role) => type === "custom" || type === "root-custom";
const isRoot = ({ type }: Role) => type === "root" || type === "root-custom";

/** Roles: named sets of permissions. */
export function Roles() {
  const permissions = useRead("GET /api/admin/permissions").data?.permissions;
  return (
    <EditableList
      title="Roles"
      noun="role"
      above={<PeopleTabs />}
      read={useRead("GET /api/admin/roles")}
      rows={({ roles }) => roles}
      keyOf={({ id }) => id}
      nameOf={({ name }) => name}
      columns={[
        [
          "Name",
          (role) => (
            <>
              <bdi>{role.name}</bdi> {!isCustom(role) && <Badge>built in</Badge>}
            </>
          ),
          "main",
        ],
        ["Scope", (role) => (isRoot(role) ? "root" : "project")],
        DESCRIPTION,
      ]}
      may={(_, role) => isAdmin() && (role === undefined || isCustom(role))}
      path="/api/admin/roles/:id"
      loss="A role that is still assigned can't be deleted."
      edit={{
        isWide: true,
        toValues: (now) => ({
          ...valuesOf(now, { name: "", description: "" }),
          type: (now?.type ?? "custom") as Scope,
          permissions: (now?.permissions ?? []).map(toKey) as readonly string[],
        }),
        fields: ({ values: { type } }, row) => ({
          name: text("Name", { required: true }),
          description: long("Description"),
          type: !row && choice("Scope", SCOPES),
          permissions: checks("Permissions", permissions ? choicesFor(type, permissions) : []),
        }),
        toBody: ({ permissions, ...rest }) => ({ ...rest, permissions: permissions.map(fromKey) }),
      }}
    />
  );
}

const SCOPES = [
  ["custom", "project: assigned to members of a project"],
  ["root-custom", "root: applies everywhere, for a user or a group"],
] as const;

type Scope = (typeof SCOPES)[number][0];

/** A permission, in one environment or in all, as a string. */
const toKey = ({ name, environment = "" }: { name: string; environment?: string | undefined }) =>
  JSON.stringify([name, environment]);

function fromKey(key: string) {
  const [name, environment] = JSON.parse(key) as [string, string];
  return { name, environment };
}

type Permissions = Output<"GET /api/admin/permissions">["permissions"];

/** The permissions of a type of role; those bound to environments are listed for each. */
function choicesFor(type: Scope, { root, project, environments }: Permissions): Choice[] {
  if (type === "root-custom") return root.map((one) => [toKey({ name: one.name }), one.displayName]);
  return [
    ...project.map(({ name, displayName }): Choice => [toKey({ name }), displayName]),
    ...environments.flatMap(({ name: environment, permissions }) =>
      permissions.map(
        ({ name, displayName }): Choice => [toKey({ name, environment }), `${environment}: ${displayName}`],
      ),
    ),
  ];
}

const ACCOUNT = "/api/admin/service-account";

/** Accounts for programs, with their own tokens. */
export function ServiceAccounts() {
  const read = useRead(`GET ${ACCOUNT}`);
  const roles = read.data?.rootRoles ?? [];
  return (
    <EditableList
      title="Service accounts"
      noun="service account"
      above={<PeopleTabs />}
      read={read}
      rows={({ serviceAccounts }) => serviceAccounts}
      keyOf={({ id }) => id}
      nameOf={nameOf}
      columns={[
        ["Name", (account) => <bdi>{nameOf(account)}</bdi>, "main"],
        ["Username", ({ username }) => <bdi>{username}</bdi>],
        ["Root role", ({ rootRole }) => roles.find(({ id }) => id === rootRole)?.name],
        ["Tokens", ({ tokens }) => tokens.length, "number"],
        ["Last seen", ({ seenAt }) => <Time at={seenAt} />],
      ]}
      may={isAdmin}
      path={`${ACCOUNT}/:id`}
      loss="Its tokens stop working immediately. Its events stay in the log."
      tools={(account) => (
        <Opener label="Tokens" icon="key" parameter="tokens" of={String(account.id)}>
          <Dialog title={`Tokens of ${nameOf(account)}`} isWide>
            <PersonalTokens
              tokens={account.tokens}
              create={(body) => change(`POST ${ACCOUNT}/:id/token`, { params: { id: account.id }, body })}
              revoke={(tokenId) =>
                change(`DELETE ${ACCOUNT}/:id/token/:tokenId`, { params: { id: account.id, tokenId } })
              }
            />
          </Dialog>
        </Opener>
      )}
      editor={({ row, ...dialog }) => (
        <FormDialog
          {...dialog}
          title={row ? nameOf(row) : dialog.title}
          initial={valuesOf(row, { username: "", name: "", rootRole: viewerIn(roles) })}
          fields={() => ({
            username: !row && text("Username", { required: true }),
            name: text("Name", { required: true }),
            rootRole: choice("Root role", named(roles)),
          })}
          send={({ username, ...body }) =>
            row
              ? change(`PUT ${ACCOUNT}/:id`, { params: { id: row.id }, body })
              : change(`POST ${ACCOUNT}`, { body: { username, ...body } })
          }
        />
      )}
    />
  );
}

const INVITATIONS = "/api/admin/invite-link/tokens";

/** Links with which people sign up. */
export function Invitations() {
  const [link, setLink] = useState<OnceLink>();
  return (
    <>
      <EditableList
        title="Invitations"
        noun="invitation"
        above={<PeopleTabs />}
        read={useRead(`GET ${INVITATIONS}`)}
        rows={({ tokens }) => tokens}
        keyOf={({ secret }) => secret}
        nameOf={({ name }) => name}
        columns={[
          NAME,
          ["Role", ({ role }) => role.name],
          ["Users created", ({ users }) => users.length, "number"],
          ["Expires", ({ expiresAt }) => <Time at={expiresAt} />],
          [
            "Enabled",
            ({ name, secret, enabled }) => (
              <Switch
                isOn={enabled}
                label={`Invitation ${name}`}
                disabled={!isAdmin()}
                onChange={(enabled) =>
                  change(`PUT ${INVITATIONS}/:token`, { params: { token: secret }, body: { enabled } })
                }
              />
            ),
          ],
        ]}
        may={(action) => action === "CREATE" && isAdmin()}
        editor={({ row: _, ...dialog }) => (
          <FormDialog
            {...dialog}
            initial={{ name: "", expiresAt: inDays(7) }}
            fields={() => ({
              name: text("Name", { required: true }),
              expiresAt: text("Expires", { type: "datetime-local", required: true }),
            })}
            send={async ({ name, expiresAt }) => {
              const body = { name, expiresAt: new Date(expiresAt).toISOString() };
              const { url } = await change(`POST ${INVITATIONS}`, { body });
              setLink({ title: "Invitation link", label: INVITATION_LINK, path: url });
            }}
          />
        )}
      />
      {link && <LinkDialog {...link} onClose={() => setLink(undefined)} />}
    </>
  );
}

const INVITATION_LINK = "Anyone with this link can create an account with the Viewer role.";
