import { hiddenProjects } from "../../access/visibility.ts";
import { NoBody, operation, WithHeaders } from "../../http/operation.ts";
import { importFeatures as importAll, recordExport } from "./changes.ts";
import { exportOf } from "./export-store.ts";
import { namesToExport } from "./names-store.ts";
import { checkImport, requireImport } from "./require.ts";
import { ExportQuery, FeaturesExport, FeaturesImport, ImportCheck } from "./schema.ts";

const batch = { tag: "Import and export", method: "POST", permission: null } as const;

export const exportFeatures = operation({
  ...batch,
  id: "exportFeatures",
  summary: "Export flags as they are in an environment, with everything they refer to",
  path: "/api/admin/features-batch/export",
  body: ExportQuery,
  records: ["features-exported"],
  response: FeaturesExport,
}).change(({ tx, actor, body }) => {
  const names = namesToExport(tx.db, body, hiddenProjects(tx.db, actor));
  const exported = exportOf(tx.db, names, body.environment);
  recordExport(tx, body, exported.features);
  if (!body.downloadFile) return exported;
  const file = `export-${tx.now.slice(0, 10)}.json`;
  return new WithHeaders(exported, { "content-disposition": `attachment; filename="${file}"` });
});

export const validateImport = operation({
  ...batch,
  id: "validateImport",
  summary: "Check an import of flags for problems",
  path: "/api/admin/features-batch/validate",
  body: FeaturesImport,
  response: ImportCheck,
}).run(({ db, actor, body }) => checkImport(db, actor, body));

export const importFeatures = operation({
  ...batch,
  id: "importToggles",
  summary: "Create or replace exported flags in an environment",
  path: "/api/admin/features-batch/import",
  body: FeaturesImport,
  errors: ["NotFoundError", "InvalidOperationError"],
  records: [
    "feature-created",
    "feature-metadata-updated",
    "feature-environment-variants-updated",
    "feature-tagged",
    "feature-strategy-add",
    "feature-environment-enabled",
    "feature-environment-disabled",
    "context-field-created",
    "tag-created",
    "tag-type-created",
    "features-imported",
    "feature-dependency-added",
  ],
  response: NoBody,
}).change(({ tx, actor, body }) => importAll(tx, body, requireImport(tx.db, actor, body)));
