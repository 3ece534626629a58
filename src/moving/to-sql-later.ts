import { contextField } from "../flags/context-fields.ts";
import { feature } from "../flags/features-dataset.ts";
import { event } from "../log/store.ts";
import { project } from "../projects/projects-dataset.ts";
import { type Context, from, type Row, type Rows } from "./lines.ts";
import { MAX } from "./to-sql-tables.ts";

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
export function* later(
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
