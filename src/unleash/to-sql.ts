import type { Kind } from "../dataset/kind.ts";
import type { Database } from "../db/database.ts";
import { contextField } from "../flags/context-fields.ts";
import { featureType } from "../flags/feature-types.ts";
import { feature } from "../flags/features-dataset.ts";
import { isBuiltInStrategyType, strategyType } from "../flags/strategy-types.ts";
import { notification, notificationMute } from "../log/notifications.ts";
import { event } from "../log/store.ts";
import { invitation } from "../people/invitations.ts";
import { role } from "../people/roles.ts";
import { deletedPrivateProject, project } from "../projects/projects-dataset.ts";
import { counter } from "../transfer/all-kinds.ts";
import { END } from "./dump.ts";
import {
  type Context,
  copyOf,
  from,
  type Left,
  leaving,
  linesOf,
  type Row,
  type Rows,
} from "./outgoing-lines.ts";
import { MAX, TABLES } from "./to-sql-tables.ts";

interface Options {
  /** Write secrets too. */
  withSecrets: boolean;
  onEnd(left: Left[]): void;
}

/**
 * Everything stored, as SQL for `psql`, from one snapshot even while others write. It fills the database of an Unleash
 * that has been started on it and has nothing of its own yet. The same rows give the same text.
 */
export function* exportSql(db: Database, { withSecrets, onEnd }: Options): Generator<string> {
  const { leave, list } = leaving();
  const context = { db, withSecrets, leave };
  const copied = (table: string, rows: Iterable<Row>) =>
    copyOf(table, rows, () => leave("value", `${REPLACED} ${table}`));
  db.exec("BEGIN");
  try {
    yield BEFORE;
    yield* permissions(context);
    for (const [table, rows] of Object.entries(TABLES)) yield* copied(`public.${table}`, rows(context));
    yield* later(context, copied);
    yield* changesOfTypes(context);
    yield sequences(context);
    yield `${END}\n`;
    for (const [kind, reason] of WITHOUT_TABLE) for (const _ of kind.lines(db)) leave(kind.name, reason);
  } finally {
    db.exec("COMMIT");
  }
  onEnd(list());
}

const REPLACED = "its NUL or half a character, which PostgreSQL can't store, is replaced by \ufffd:";

const WITHOUT_TABLE: ReadonlyArray<[kind: Kind, reason: string]> = [
  [invitation, "only the hash of its secret is known: invite anew"],
  [deletedPrivateProject, "everyone sees the events of this project there"],
  [notification, "Unleash keeps none: it makes them from events"],
  [notificationMute, "Unleash has nothing like it"],
];

/** What a new Unleash contains gives way, but for its own users, roles and settings. */
const BEFORE = `-- For the database of a new Unleash, which has been started on it once: psql -1 -f FILE
\\set ON_ERROR_STOP on
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SET timezone = 'UTC';
DO $$ BEGIN
  IF EXISTS (SELECT FROM public.features) OR EXISTS (SELECT FROM public.projects WHERE id <> 'default') THEN
    RAISE EXCEPTION 'this Unleash is in use: its flags and projects would be lost'
      USING HINT = 'Start Unleash on an empty database, stop it, and load this file there.';
  END IF;
END $$;
DELETE FROM public.events;
DELETE FROM public.api_tokens;
DELETE FROM public.users WHERE NOT is_system;
DELETE FROM public.projects;
DELETE FROM public.environments;
DELETE FROM public.context_fields;
DELETE FROM public.tag_types;
DELETE FROM public.roles WHERE id > 5;
DELETE FROM public.settings WHERE name IN ('unleash.frontend', 'maintenance.mode', 'unleash.auth.simple');

`;

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** Those of another version, so that roles may have them. */
function* permissions(context: Context): Generator<string> {
  const scopes = new Map<string, string>();
  for (const { type, permissions } of linesOf(role, context))
    for (const { name, environment } of permissions)
      scopes.set(name, type === "custom-root" ? "root" : environment ? "environment" : "project");
  for (const [name, scope] of scopes)
    yield `INSERT INTO public.permissions (permission, display_name, type) SELECT ${quoted(name)}, ${quoted(name)}, '${scope}'
  WHERE NOT EXISTS (SELECT FROM public.permissions WHERE permission = ${quoted(name)});\n`;
}

/** Of what each Unleash has. */
function* changesOfTypes(context: Context): Generator<string> {
  for (const { name, deprecated } of linesOf(strategyType, context))
    if (isBuiltInStrategyType(context.db, name))
      yield `UPDATE public.strategies SET deprecated = ${deprecated} WHERE name = ${quoted(name)};\n`;
  for (const { id, lifetimeDays } of linesOf(featureType, context))
    yield `UPDATE public.feature_types SET lifetime_days = ${lifetimeDays || "NULL"} WHERE id = ${quoted(id)};\n`;
}

/** The tables that number their rows, with the kinds of which Flagstone knows the last id. */
const NUMBERED = {
  addons: "integration",
  banners: "banner",
  events: "event",
  groups: undefined,
  integration_events: undefined,
  roles: undefined,
  segments: "segment",
  users: "user",
};

/** Each goes on after the last id that was given. */
function sequences(context: Context) {
  const last = new Map<string, number>(
    [...linesOf(counter, context)].map(({ of, last }) => [of, Math.min(last, MAX - 1)]),
  );
  const calls = Object.entries(NUMBERED).map(
    ([table, kind = ""]) =>
      `  PERFORM setval(pg_get_serial_sequence('public.${table}', 'id'), GREATEST(max(id), ${last.get(kind) ?? 0}) + 1, false) FROM public.${table};\n`,
  );
  return `DO $$ BEGIN\n${calls.join("")}END $$;\n`;
}

/*
 * What only later versions of Unleash have a place for: loaded beside, and moved there if there is one.
 */

interface Addition {
  /** What it is called in the summary. */
  noun: string;
  /** The columns of the temporary table. */
  columns: string;
  rows: Rows;
  /** The place, a table or one of its columns. */
  table: string;
  column: string;
  /** Moves all rows there. */
  move: string;
}

/** By the name of the temporary table. */
const LATER: Readonly<Record<string, Addition>> = {
  later_links: {
    noun: "link",
    columns: "id text, feature text, url text, title text",
    rows: from(feature, ({ name, links }) =>
      (links ?? []).map(({ id, url, title }) => ({ id, feature: name, url, title })),
    ),
    table: "feature_link",
    column: "id",
    move: `INSERT INTO public.feature_link (id, feature_name, url, title)
      SELECT id, feature, url, title FROM later_links`,
  },
  later_templates: {
    noun: "link template",
    columns: "project text, templates jsonb",
    rows: from(project, ({ id, linkTemplates }) =>
      linkTemplates?.length ? [{ project: id, templates: linkTemplates }] : [],
    ),
    table: "project_settings",
    column: "link_templates",
    move: `UPDATE public.project_settings AS settings SET link_templates = templates
      FROM later_templates WHERE later_templates.project = settings.project`,
  },
  later_groups: {
    noun: "event's group",
    columns: "id integer, type text, name text",
    rows: from(event, ({ id, groupType, groupId }) =>
      groupType && id! <= MAX ? [{ id, type: groupType, name: groupId }] : [],
    ),
    table: "events",
    column: "group_type",
    move: `UPDATE public.events AS event SET group_type = later_groups.type, group_id = later_groups.name
      FROM later_groups WHERE later_groups.id = event.id`,
  },
  later_fields: {
    noun: "context field of a project",
    columns: "name text, project text",
    rows: from(contextField, ({ name, project }) => (project === null ? [] : [{ name, project }])),
    table: "context_fields",
    column: "project",
    move: `UPDATE public.context_fields AS field SET project = later_fields.project
      FROM later_fields WHERE later_fields.name = field.name`,
  },
};

/** The rows, and what moves them. */
function* later(
  context: Context,
  copied: (table: string, rows: Iterable<Row>) => Iterable<string>,
): Generator<string> {
  for (const [name, { noun, columns, rows, ...place }] of Object.entries(LATER)) {
    yield `CREATE TEMPORARY TABLE ${name} (${columns}) ON COMMIT DROP;\n`;
    yield* copied(name, noted(noun, rows, context));
    yield moving(place);
  }
}

function* noted(noun: string, rows: Rows, context: Context): Generator<Row> {
  for (const row of rows(context)) {
    context.leave(noun, "Unleash 6.4 has no place for it, 8.2 takes it");
    yield row;
  }
}

const moving = ({ table, column, move }: Pick<Addition, "table" | "column" | "move">) => `DO $$ BEGIN
  IF EXISTS (SELECT FROM information_schema.columns
      WHERE table_schema = 'public' AND table_name = '${table}' AND column_name = '${column}') THEN
    ${move};
  END IF;
END $$;
`;
