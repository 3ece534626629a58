/*
 * Dumps as `pg_dump` writes them, of small databases of Unleash.
 */

type Row = Readonly<Record<string, unknown>>;
export type Tables = Readonly<Record<string, readonly Row[]>>;

/** What every Unleash has. */
export const TABLES: Tables = {
  users: [{ id: 1, username: "admin", password_hash: "$2b$10$x", created_at: "2026-01-02 03:04:05.678901" }],
  roles: [{ id: 1, name: "Admin", type: "root" }],
  role_user: [{ role_id: 1, user_id: 1, project: "default" }],
  projects: [{ id: "default", name: "Default", created_at: "2026-01-02 03:04:05+02" }],
  environments: [
    { name: "development", type: "development", sort_order: 1, enabled: true, protected: false },
  ],
  project_environments: [{ project_id: "default", environment_name: "development" }],
  features: [
    {
      name: "cart",
      project: "default",
      type: "release",
      stale: false,
      created_at: "2026-01-02 03:04:05+05:30",
    },
  ],
  feature_environments: [{ feature_name: "cart", environment: "development", enabled: true, variants: [] }],
  feature_strategies: [
    {
      id: "s1",
      feature_name: "cart",
      environment: "development",
      strategy_name: "flexibleRollout",
      parameters: { rollout: 50 },
      constraints: [{ contextName: "userId", operator: "IN", values: [7], value: null, newer: true }],
      sort_order: 0,
      variants: [],
    },
  ],
  events: [
    {
      id: 9,
      type: "release-plan-added",
      created_by: "ada",
      created_at: "2026-01-02 03:04:06+00",
      data: { name: "x" },
      tags: [],
    },
    {
      id: 4,
      type: "feature-created",
      created_by: "admin",
      created_at: "2026-01-02 03:04:05+00",
      tags: [],
      project: "gone",
    },
  ],
};

const ESCAPES: Readonly<Record<string, string>> = { "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r" };

function toCell(value: unknown): string {
  if (value === null || value === undefined) return "\\N";
  if (typeof value === "boolean") return value ? "t" : "f";
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  return text.replaceAll(/[\\\t\n\r]/g, (one) => ESCAPES[one]!);
}

/** As `pg_dump` writes it. */
export function dumpOf(tables: Tables): string {
  const blocks = Object.entries(tables).map(([name, rows]) => {
    const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
    const lines = rows.map((row) => columns.map((column) => toCell(row[column])).join("\t"));
    return [`COPY public.${name} (${columns.join(", ")}) FROM stdin;`, ...lines, "\\.", ""].join("\n");
  });
  return ["SET client_encoding = 'UTF8';", ...blocks, "-- PostgreSQL database dump complete", ""].join("\n");
}

export const withRows = (name: string, ...rows: Row[]): Tables => ({
  ...TABLES,
  [name]: [...(TABLES[name] ?? []), ...rows],
});
