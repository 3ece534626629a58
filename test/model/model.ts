import crypto from "node:crypto";
import type { Line } from "./dataset.ts";

/*
 * What the API promises, over a list of lines, written as plainly as possible and independent of the program: no index,
 * no SQL, no cache. Slow and obviously right.
 */

export interface Answer {
  status: number;
  body?: unknown;
}

export interface SearchBody {
  type?: string;
  project?: string;
  feature?: string;
  query?: string;
  limit?: number;
  offset?: number;
}

const DAY = 86_400_000;
const LIFETIME: Record<string, number> = { release: 40, experiment: 40, operational: 7 };

const byteOrder = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
const descending = (a: string, b: string) => (a < b ? 1 : a > b ? -1 : 0);
const orNull = <T>(value: T | undefined) => value ?? null;

/** The responses to the caller with this id. */
export function createModel(lines: Line[], callerId: number) {
  const all = (kind: string) => lines.filter((line) => line.kind === kind);
  const users = all("user");
  const groups = all("group");
  const features = all("feature");
  const projects = all("project");
  const caller = users.find((user) => user.id === callerId)!;

  const groupsOf = (userId: number) => groups.filter((group) => group.users.includes(userId));
  const rootRoles = [caller.rootRole, ...groupsOf(callerId).map((group) => group.rootRole)];
  const isAdmin = rootRoles.includes(1) || rootRoles.includes(6);
  const memberships = all("projectRole").flatMap((role) =>
    role.user !== undefined
      ? [{ project: role.project, role: role.role, user: role.user }]
      : groups
          .find((group) => group.id === role.group)!
          .users.map((user: number) => ({ project: role.project, role: role.role, user })),
  );
  const isMember = (project: string, userId: number) =>
    memberships.some((one) => one.project === project && one.user === userId);
  const isVisible = (id: string | undefined) => {
    const project = projects.find((candidate) => candidate.id === id);
    return project?.mode !== "private" || isAdmin || isMember(project.id, callerId);
  };

  const picture = (name: string) =>
    `/avatars/${crypto.createHash("sha256").update(name.toLowerCase()).digest("hex")}.svg`;
  const imageOf = (user: Line) => user.imageUrl ?? picture(user.email ?? user.username ?? String(user.id));
  const shownName = (user: Line) => user.name ?? user.username ?? user.email ?? `user ${user.id}`;

  const events = all("event").map(toEvent);
  const visibleEvents = events
    .filter((event) => event.project === null || isVisible(event.project))
    .toSorted((a, b) => b.id - a.id);

  const projectEnvironments = (project: Line) =>
    all("environment")
      .filter(({ name }) => project.environments.includes(name))
      .toSorted((a, b) => a.sortOrder - b.sortOrder || byteOrder(a.name, b.name));

  const isLive = (feature: Line) => feature.archivedAt === undefined;
  const liveOf = (project: string) => features.filter((one) => one.project === project && isLive(one));

  function healthOf(project: string) {
    const live = liveOf(project);
    const isOld = (one: Line) =>
      Date.parse(one.createdAt) <
      Date.now() - (LIFETIME[one.type ?? "release"] ?? Number.POSITIVE_INFINITY) * DAY;
    const good = live.filter((one) => !one.stale && !isOld(one)).length;
    return live.length === 0 ? 100 : Math.round((100 * good) / live.length);
  }

  return {
    events(project: string): Answer {
      const listed =
        project === "" ? visibleEvents : visibleEvents.filter((event) => event.project === project);
      const shown = project === "" ? listed.slice(0, 100) : listed;
      return { status: 200, body: { version: 1, events: shown, totalEvents: listed.length } };
    },

    search({ type, project, feature, query, limit = 100, offset = 0 }: SearchBody): Answer {
      const fold = (text: string) => text.normalize("NFC").toUpperCase();
      const holds = (event: ReturnType<typeof toEvent>) =>
        [event.type, event.createdBy, ...(event.data ? [JSON.stringify(event.data)] : [])].some((text) =>
          fold(text).includes(fold(query!)),
        );
      const found = visibleEvents.filter(
        (event) =>
          (!type || event.type === type) &&
          (!project || event.project === project) &&
          (!feature || event.featureName === feature) &&
          (!query || holds(event)),
      );
      const shown = found.filter((event) => offset === 0 || event.id <= offset).slice(0, limit);
      return { status: 200, body: { version: 1, events: shown, totalEvents: found.length } };
    },

    integrationEvents(id: number, limit: number, offset: number): Answer {
      if (!isAdmin) return { status: 403 };
      const records = all("integrationEvent")
        .filter((line) => line.integrationId === id)
        .toSorted((a, b) => b.id - a.id)
        .slice(offset, offset + limit);
      return {
        status: 200,
        body: {
          integrationEvents: records.map(({ kind: _, eventId, details, ...line }) => ({
            ...line,
            event: events.find((event) => event.id === eventId),
            details,
          })),
        },
      };
    },

    strategies(projectId: string, featureName: string, environment: string): Answer {
      if (!isVisible(projectId)) return { status: 403 };
      const project = projects.find(({ id }) => id === projectId);
      const feature = features.find(({ name }) => name === featureName);
      if (!project?.environments.includes(environment) || feature?.project !== projectId)
        return { status: 404 };
      const body = strategiesOf(feature!, environment).map((strategy) => ({ ...strategy, featureName }));
      return { status: 200, body };
    },

    features(projectId: string): Answer {
      if (!isVisible(projectId)) return { status: 403 };
      const project = projects.find(({ id }) => id === projectId);
      const live = project && project.archivedAt === undefined ? liveOf(projectId) : [];
      const body = live
        .toSorted((a, b) => byteOrder(a.name, b.name))
        .map((feature) => {
          const environments = projectEnvironments(project!).map((environment) => {
            const state = feature.environments.find((one: Line) => one.name === environment.name);
            return {
              name: environment.name,
              type: environment.type,
              enabled: state?.enabled ?? false,
              sortOrder: environment.sortOrder,
              variantCount: state?.variants.length ?? 0,
              lastSeenAt: orNull(state?.lastSeenAt),
              hasStrategies: (state?.strategies.length ?? 0) > 0,
              hasEnabledStrategies: state?.strategies.some((one: Line) => !one.disabled) ?? false,
            };
          });
          const times = environments.flatMap((one) => one.lastSeenAt ?? []).toSorted();
          return {
            name: feature.name,
            type: feature.type ?? "release",
            description: orNull(feature.description),
            stale: feature.stale ?? false,
            favorite: feature.favoritedBy?.includes(callerId) ?? false,
            impressionData: feature.impressionData ?? false,
            createdAt: feature.createdAt,
            lastSeenAt: orNull(times.at(-1)),
            environments,
            tags: (feature.tags ?? []).toSorted(
              (a: Line, b: Line) => byteOrder(a.type, b.type) || byteOrder(a.value, b.value),
            ),
          };
        });
      return { status: 200, body: { version: 2, features: body } };
    },

    user(id: number): Answer {
      if (!isAdmin && id !== callerId) return { status: 403 };
      const user = users.find((one) => one.id === id);
      if (!user) return { status: 404 };
      return {
        status: 200,
        body: {
          id,
          isAPI: false,
          name: orNull(user.name),
          ...(user.email !== undefined && { email: user.email }),
          username: orNull(user.username),
          imageUrl: imageOf(user),
          loginAttempts: 0,
          ...(user.emailSent !== undefined && { emailSent: user.emailSent }),
          rootRole: user.rootRole,
          seenAt: orNull(user.seenAt),
          createdAt: user.createdAt,
          accountType: user.accountType,
          ...(user.scimId !== undefined && { scimId: user.scimId }),
        },
      };
    },

    notifications(): Answer {
      const isHidden = ({ link }: Line) =>
        projects.some(({ id }) => !isVisible(id) && link.startsWith(`/projects/${encodeURIComponent(id)}/`));
      const told = all("notification").filter((line) => !isHidden(line));
      const mine = told.flatMap((line) => {
        const named = line.recipients.find((recipient: Line) => recipient.userId === callerId);
        const isFor =
          line.project === undefined
            ? named !== undefined
            : isMember(line.project, callerId) && line.createdByUserId !== callerId;
        return isFor ? [{ line, readAt: orNull(named?.readAt) }] : [];
      });
      const body = mine
        .toSorted((a, b) => descending(a.line.createdAt, b.line.createdAt) || b.line.id - a.line.id)
        .map(({ line, readAt }) => {
          const id = line.createdByUserId;
          const author = users.find((user) => user.id === id) ?? { id };
          return {
            id: line.id,
            message: line.message,
            link: line.link,
            notificationType: line.notificationType,
            createdBy: {
              username: author.username ?? author.email ?? author.name ?? `user ${id}`,
              imageUrl: imageOf(author),
            },
            createdAt: line.createdAt,
            readAt,
          };
        });
      return { status: 200, body };
    },

    dashboard(): Answer {
      const live = projects.filter((project) => project.archivedAt === undefined);
      const mine = live.filter((project) => isMember(project.id, callerId));
      const isOwner = (user: Line) =>
        all("projectRole").some(
          (role) =>
            role.user === user.id &&
            role.role === 4 &&
            live.some((project) => project.id === role.project && isVisible(project.id)),
        );
      const flags = features.filter(
        (one) =>
          isLive(one) &&
          (one.createdByUserId === callerId || one.favoritedBy?.includes(callerId)) &&
          live.some((project) => project.id === one.project && isVisible(project.id)),
      );
      return {
        status: 200,
        body: {
          projects: mine
            .toSorted((a, b) => byteOrder(a.name, b.name) || byteOrder(a.id, b.id))
            .map(({ id, name }) => ({
              id,
              name,
              health: healthOf(id),
              technicalDebt: 100 - healthOf(id),
              memberCount: new Set(memberships.filter((one) => one.project === id).map((one) => one.user))
                .size,
              featureCount: liveOf(id).length,
            })),
          flags: flags
            .toSorted((a, b) => descending(a.createdAt, b.createdAt) || byteOrder(a.name, b.name))
            .map(({ name, project, type = "release" }) => ({ name, project, type })),
          projectOwners: users
            .filter(isOwner)
            .toSorted((a, b) => byteOrder(shownName(a), shownName(b)) || a.id - b.id)
            .map(toOwner),
          admins: users
            .filter((user) => user.rootRole === 1)
            .map((user) => ({
              id: user.id,
              ...(user.name !== undefined && { name: user.name }),
              ...(user.username !== undefined && { username: user.username }),
              imageUrl: imageOf(user),
              ...(user.email !== undefined && { email: user.email }),
            })),
        },
      };
    },

    details(projectId: string): Answer {
      if (!isVisible(projectId)) return { status: 403 };
      if (!projects.some(({ id }) => id === projectId)) return { status: 404 };
      const direct = all("projectRole").filter((role) => role.project === projectId && role.role === 4);
      const owners = [
        ...users.filter((user) => direct.some((role) => role.user === user.id)).map(toOwner),
        ...groups
          .filter((group) => direct.some((role) => role.group === group.id))
          .toSorted((a, b) => byteOrder(a.name, b.name))
          .map(({ name }) => ({ ownerType: "group", name })),
      ];
      const myRoles = new Set(
        memberships
          .filter((one) => one.project === projectId && one.user === callerId)
          .map((one) => one.role),
      );
      return {
        status: 200,
        body: {
          latestEvents: events
            .filter((event) => event.project === projectId)
            .toSorted((a, b) => b.id - a.id)
            .slice(0, 10)
            .map((event) => {
              const author = users.find((user) => user.id === event.createdByUserId);
              const createdByImageUrl = author ? imageOf(author) : picture(event.createdBy);
              return { id: event.id, summary: event.summary, createdBy: event.createdBy, createdByImageUrl };
            }),
          onboardingStatus: onboardingOf(projectId),
          owners: owners.length > 0 ? owners : [{ ownerType: "system" }],
          roles: ROLES.filter(({ id }) => myRoles.has(id)),
        },
      };
    },
  };

  function toOwner(user: Line) {
    return { ownerType: "user", name: shownName(user), email: orNull(user.email), imageUrl: imageOf(user) };
  }

  function onboardingOf(project: string) {
    const isSeen = features.some(
      (one) =>
        one.project === project && one.environments.some((state: Line) => state.lastSeenAt !== undefined),
    );
    if (isSeen) return { status: "onboarded" };
    const [first] = liveOf(project).toSorted(
      (a, b) => -descending(a.createdAt, b.createdAt) || byteOrder(a.name, b.name),
    );
    return first ? { status: "first-flag-created", feature: first.name } : { status: "onboarding-started" };
  }
}

/** The strategies of a flag in an environment, in order, with the defaults filled in. */
export const strategiesOf = (feature: Line, environment: string) =>
  ((feature.environments.find((one: Line) => one.name === environment)?.strategies ?? []) as Line[])
    .map((line, index) => ({
      id: line.id as string,
      name: line.name as string,
      title: orNull(line.title),
      disabled: line.disabled ?? false,
      sortOrder: (line.sortOrder ?? index) as number,
      segments: (line.segments ?? []).toSorted((a: number, b: number) => a - b),
      constraints: (line.constraints ?? []).map(constraintOf),
      variants: line.variants ?? [],
      parameters: line.parameters ?? {},
    }))
    .toSorted((a, b) => a.sortOrder - b.sortOrder || byteOrder(a.id, b.id));

const constraintOf = (line: Line) => ({
  contextName: line.contextName,
  operator: line.operator,
  caseInsensitive: line.caseInsensitive ?? false,
  inverted: line.inverted ?? false,
  values: line.values ?? [],
  ...(line.value !== undefined && { value: line.value }),
});

const ROLES = [
  { name: "Owner", id: 4, type: "project" },
  { name: "Member", id: 5, type: "project" },
  { name: "Custom", id: 7, type: "custom" },
];

const toEvent = (line: Line) => ({
  id: line.id as number,
  createdAt: line.createdAt,
  type: line.type as string,
  createdBy: line.createdBy as string,
  createdByUserId: orNull(line.createdByUserId),
  environment: orNull(line.environment),
  project: orNull(line.project) as string | null,
  featureName: orNull(line.featureName),
  data: orNull(line.data),
  preData: orNull(line.preData),
  tags: line.tags ?? [],
  label: orNull(line.label),
  summary: orNull(line.summary),
});
