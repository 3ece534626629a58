import * as v from "valibot";
import { OptionalText, optional } from "../dataset/kind.ts";
import type { Database } from "../db/database.ts";
import { command, query } from "../db/statement.ts";
import type { Tx } from "../events/write.ts";
import { DELETE, POST, PUT } from "../http/operation.ts";
import { ApiError, found } from "../lib/api-error.ts";
import { NonEmptyText, ShortText } from "../lib/validation.ts";
import { isWebAddress, WebAddress } from "../lib/web-address.ts";
import { filledTemplate, MAX_LINKS } from "../projects/projects-schema.ts";
import { linkTemplates } from "../projects/projects-store.ts";
import type { Feature, FeatureLink } from "./features-schema.ts";
import { requireLiveFeature } from "./features-store.ts";

/** The body that adds a link to a flag, or changes one: a title that is left out stays as it is. */
export const NewFeatureLink = v.object({ url: WebAddress, title: v.optional(v.nullable(ShortText)) });
type NewFeatureLink = v.InferOutput<typeof NewFeatureLink>;

const ofFeature = {
  tag: "Features",
  path: "/api/admin/projects/:projectId/features/:featureName/link",
  permission: { permission: "UPDATE_FEATURE", project: "projectId" },
  status: 204,
  errors: ["NotFoundError"],
} as const;

const ofLink = { ...ofFeature, path: `${ofFeature.path}/:linkId` } as const;

const EXAMPLE = { url: "https://design.example/first-flag", title: "The design" };

export const createFeatureLink = POST({
  ...ofFeature,
  id: "createFeatureLink",
  summary: "Add a link to a flag",
  body: NewFeatureLink,
  errors: ["NotFoundError", "OperationDeniedError"],
  records: ["feature-link-added"],
  example: EXAMPLE,
}).change(({ tx, params: { projectId, featureName }, body }) =>
  addLink(tx, requireLiveFeature(tx.db, projectId, featureName), body),
);

export const updateFeatureLink = PUT({
  ...ofLink,
  id: "updateFeatureLink",
  summary: "Change a link of a flag",
  body: NewFeatureLink,
  records: ["feature-link-updated"],
  example: { ...EXAMPLE, title: null },
}).change(({ tx, params, body }) => {
  const { project, id, ...preData } = requireLink(tx.db, params);
  const data = { url: body.url, title: body.title === undefined ? preData.title : body.title };
  if (data.url === preData.url && data.title === preData.title) return; // no event (original)
  update(tx).run({ id, ...data });
  tx.record({ type: "feature-link-updated", project, featureName: params.featureName, data, preData });
});

export const deleteFeatureLink = DELETE({
  ...ofLink,
  id: "deleteFeatureLink",
  summary: "Remove a link from a flag",
  records: ["feature-link-removed"],
}).change(({ tx, params }) => {
  const { project, id, ...preData } = requireLink(tx.db, params);
  remove(tx).run({ id });
  tx.record({ type: "feature-link-removed", project, featureName: params.featureName, preData });
});

/** @throws ApiError `NotFoundError` */
function requireLink(db: Database, path: Record<"projectId" | "featureName" | "linkId", string>) {
  const { project, name } = requireLiveFeature(db, path.projectId, path.featureName);
  const link = linksOf(db)
    .all({ feature: name })
    .find(({ id }) => id === path.linkId);
  const { id, url, title } = found(link, `link ${path.linkId} of the flag ${name}`);
  return { project, id, url, title };
}

/** A flag and its project. */
type Place = Pick<Feature, "name" | "project">;

/** @throws ApiError `OperationDeniedError` if the flag has as many as it may */
export function addLink(tx: Tx, { name: feature, project }: Place, { url, title }: NewFeatureLink) {
  if (linksOf(tx.db).all({ feature }).length >= MAX_LINKS)
    throw new ApiError(
      "OperationDeniedError",
      `The flag ${feature} has ${MAX_LINKS} links: remove one first`,
    );
  insertLink(tx).run({ id: crypto.randomUUID(), feature, url, title: title ?? null });
  const data = { url, ...(title !== undefined && { title }) };
  tx.record({ type: "feature-link-added", project, featureName: feature, data });
}

/** Adds the links that the project's new flags get; their titles stay as they are (original). */
export function addTemplateLinks(tx: Tx, feature: Place) {
  const { project, name } = feature;
  for (const { title, urlTemplate } of linkTemplates(tx.db, project).slice(0, MAX_LINKS)) {
    const url = filledTemplate(urlTemplate, { project, feature: name });
    const { success, output } = v.safeParse(NewFeatureLink, { url, title });
    if (success) addLink(tx, feature, output);
  }
}

export const linksOf = query<{ feature: string }, FeatureLink>(`
  SELECT id, url, title, feature FROM feature_links WHERE feature = :feature ORDER BY rowid`);

export const insertLink = command<FeatureLink>(`
  INSERT INTO feature_links (id, feature, url, title) VALUES (:id, :feature, :url, :title)`);

const update = command<Omit<FeatureLink, "feature">>(`
  UPDATE feature_links SET url = :url, title = :title WHERE id = :id`);

const remove = command<{ id: string }>(`DELETE FROM feature_links WHERE id = :id`);

/** Removes a flag's links, without events. */
export const removeLinks = command<{ feature: string }>(`DELETE FROM feature_links WHERE feature = :feature`);

/** SQL: a flag's links as a JSON list. */
export const LINKS = `json_group_array(json_object('id', id, 'url', url, 'title', title) ORDER BY feature_links.rowid)`;

/** A link as part of its flag's line in a dataset. */
export const LinkOfLine = v.strictObject({
  id: optional(NonEmptyText),
  url: NonEmptyText,
  title: OptionalText,
});

/** For links that the API would refuse. */
export function* linkWarnings(links: ReadonlyArray<v.InferOutput<typeof LinkOfLine>>): Generator<string> {
  for (const [index, { url }] of links.entries())
    if (!isWebAddress(url)) yield `links.${index}.url: must be a web address, not ${JSON.stringify(url)}`;
}
