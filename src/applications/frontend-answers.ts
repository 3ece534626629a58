import crypto from "node:crypto";
import { type Database, perDatabase } from "../db/database.ts";
import type { Context } from "../evaluation/context.ts";
import type { Evaluator } from "../evaluation/evaluator.ts";
import { WithHeaders } from "../http/operation.ts";
import { BoundedMap } from "../lib/bounded-map.ts";
import { RawJson } from "../lib/raw-json.ts";
import type { evaluatorOf } from "./client-evaluators.ts";
import type { FrontendFlags } from "./frontend-schema.ts";

/*
 * Pages ask again and again with the same context. Evaluating a thousand flags takes a millisecond, so answers are kept
 * for as long as the flags stay the same, if they depend on the context alone.
 */

/** In characters; the oldest go first. */
const MAX_CHARACTERS = 16 * 1024 * 1024;

type Answer = WithHeaders<RawJson<FrontendFlags>>;

const answersOf = perDatabase(() => new BoundedMap<string, Answer>(MAX_CHARACTERS));

/** The flags that are on. @param drawn the session's id, if it was drawn for this request */
export function answerFor(
  db: Database,
  { evaluator, steadyId }: ReturnType<typeof evaluatorOf>,
  context: Context,
  drawn?: string,
) {
  if (context.userId === undefined || steadyId === undefined) return toAnswer(evaluator, context);
  const key = JSON.stringify([
    steadyId,
    context.sessionId === drawn ? { ...context, sessionId: null } : context,
  ]);
  const answers = answersOf(db);
  const known = answers.get(key);
  if (known) return known;
  const answer = toAnswer(evaluator, context);
  answers.set(key, answer, key.length + answer.body.text.length);
  return answer;
}

function toAnswer(evaluator: Evaluator, context: Context): Answer {
  const toggles = [...evaluator.features.values()].flatMap(({ name, impressionData }) => {
    const evaluation = evaluator.evaluate(name, context);
    if (!evaluation.feature_enabled) return [];
    const { feature_enabled: _, ...variant } = evaluation;
    const variantResult = { ...variant, feature_enabled: true as const, featureEnabled: true as const };
    return [{ name, enabled: true as const, variant: variantResult, impressionData }];
  });
  const text = JSON.stringify({ toggles } satisfies FrontendFlags);
  return new WithHeaders(new RawJson<FrontendFlags>(text), {
    etag: `"${crypto.hash("sha1", text, "base64url")}"`,
  });
}
