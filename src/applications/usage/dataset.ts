import * as v from "valibot";
import { kind, Name } from "../../dataset/kind.ts";
import { query } from "../../db/statement.ts";
import { dictionary, Time } from "../../lib/validation.ts";
import { addToHour, insertSeries, type Series } from "./changes.ts";

const Count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

const Hour = v.pipe(
  Time,
  v.check((time) => time.endsWith(":00:00.000Z"), "must be the beginning of an hour"),
);

const Usage = v.strictObject({
  feature: Name,
  environment: Name,
  application: Name,
  hours: v.array(
    v.strictObject({
      hour: Hour,
      yes: v.nullish(Count, 0),
      no: v.nullish(Count, 0),
      variants: v.nullish(dictionary(Count), {}),
    }),
  ),
});

const all = query<object, Series & { hours: string }>(`
  SELECT feature, environment, application,
    (SELECT json_group_array(json_object('hour', hour, 'yes', yes, 'no', no, 'variants', json(
        (SELECT json_group_object(variant, count ORDER BY variant) FROM hourly_variants
          WHERE hourly_variants.series = hourly_usage.series AND hourly_variants.hour = hourly_usage.hour)))
        ORDER BY hour)
      FROM hourly_usage WHERE series = usage_series.id) AS hours
  FROM usage_series ORDER BY feature, environment, application`);

export const usage = kind({
  name: "usage",
  schema: Usage,
  insert({ tx }, { hours, ...series }) {
    insertSeries(tx).run(series);
    for (const { variants, ...hour } of hours)
      addToHour(tx, { ...series, ...hour, variants: new Map(Object.entries(variants)) });
  },
  *rows(db) {
    for (const { hours, ...series } of all(db).iterate({})) yield { ...series, hours: JSON.parse(hours) };
  },
});
