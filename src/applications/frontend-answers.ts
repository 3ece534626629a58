import crypto from "node:crypto";
import { type Database, perDatabase } from "../db/database.ts";
import type { ClientFeature } from "../evaluation/client-feature.ts";
import type { Context } from "../evaluation/context.ts";
import type { Evaluator } from "../evaluation/evaluator.ts";
import { WithHeaders } from "../http/operation.ts";
import { BoundedMap } from "../lib/bounded-map.ts";
import { RawJson } from "../lib/raw-json.ts";
import type { evaluatorOf } from "./client-evaluators.ts";
import type { FrontendFlags } from "./frontend-schema.ts";

/*
 * Pages ask again and again with the same context. Evaluating a thousand flags takes two milliseconds, so answers that
 * depend on the context alone are kept, with each flag's part of it for when others have changed.
 */

/** In characters; the oldest go first. */
const MAX_CHARACTERS = 16 * 1024 * 1024;

/** What a flag's part takes beside its text. */
const PART = 50;

type Evaluators = ReturnType<typeof evaluatorOf>;

/** An answer, and the flags and segments that it was made of. */
interface Known extends Pick<Evaluators, "state" | "revision" | "segments"> {
  parts: Parts;
  answer: Answer;
}

/** The JSON of each flag; empty if it is off. */
type Parts = ReadonlyMap<ClientFeature, string>;

type Answer = WithHeaders<RawJson<FrontendFlags>>;

const answersOf = perDatabase(() => new BoundedMap<string, Known>(MAX_CHARACTERS));

/** The flags that are on. @param drawn the session's id, if it was drawn for this request */
export function answerFor(db: Database, own: Evaluators, context: Context, drawn?: string): Answer {
  if (context.userId === undefined || !own.isSteady) return toAnswer(partsOf(own.evaluator, context));
  const fixed = context.sessionId === drawn ? { ...context, sessionId: null } : context;
  const key = JSON.stringify([own.key, fixed]);
  const answers = answersOf(db);
  const known = answers.get(key);
  if (known?.state === own.state && known.revision === own.revision) return known.answer;
  const { state, revision, segments } = own;
  const parts = partsOf(own.evaluator, context, known?.segments === segments ? known.parts : undefined);
  const answer = toAnswer(parts);
  const size = key.length + 2 * answer.body.text.length + PART * parts.size;
  answers.set(key, { state, revision, segments, parts, answer }, size);
  return answer;
}

/** @param known parts that are still right for flags that have not changed, unless they depend on others */
function partsOf(evaluator: Evaluator, context: Context, known?: Parts): Parts {
  const features = [...evaluator.features.values()];
  return new Map(
    features.map((feature) => {
      const part = feature.dependencies ? undefined : known?.get(feature);
      return [feature, part ?? partOf(evaluator, feature, context)];
    }),
  );
}

function partOf(evaluator: Evaluator, { name, impressionData }: ClientFeature, context: Context): string {
  const { feature_enabled, ...variant } = evaluator.evaluate(name, context);
  if (!feature_enabled) return "";
  const result = { ...variant, feature_enabled: true as const, featureEnabled: true as const };
  return JSON.stringify({
    name,
    enabled: true,
    variant: result,
    impressionData,
  } satisfies FrontendFlags["toggles"][number]);
}

function toAnswer(parts: Parts): Answer {
  const on = [...parts.values()].filter((part) => part !== "");
  const text = `{"toggles":[${on.join()}]}`;
  return new WithHeaders(new RawJson<FrontendFlags>(text), {
    etag: `"${crypto.hash("sha1", text, "base64url")}"`,
  });
}
