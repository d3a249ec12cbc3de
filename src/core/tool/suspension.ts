import { frozenCopy, jsonProblem, type Json, type JsonObject } from "../base/json.ts";
import { byteLength } from "../base/platform.ts";
import * as s from "../base/option-schema.ts";
import { problemOf } from "../base/options.ts";
import type { Ask, PendingCall } from "./pending.ts";
import { schemaProblem } from "./schema-problem.ts";
import type { Suspension } from "./types.ts";

/** The maximum length of the JSON of what a call remembers, in bytes of UTF-8. */
export const MAX_STATE_BYTES = 64 * 1024;

const isWebAddress = (url: string): boolean => /^https?:$/u.test(URL.parse(url)?.protocol ?? "");

const suspensionSchema = s.lazily(() => {
  const url = s.restricted(s.string(), isWebAddress, "an http or https address");
  const kind = s.oneOf("form", "url", "approval", "question");
  const call = s.options<PendingCall>({
    callId: s.nonEmpty(),
    name: s.string(),
    input: s.object<JsonObject>(),
    argsHash: s.string(),
    waitsFor: s.oneOf("approval", "answer", "externalResult", "stopRequested", "unknownOutcome"),
    reason: s.optional(s.string()),
    since: s.number(),
    expiresAt: s.optional(s.number()),
    answerSchema: s.optional(s.object<JsonObject>()),
    ask: s.optional(s.options<NonNullable<PendingCall["ask"]>>({ kind, url: s.optional(url) })),
    path: s.optional(s.listOf(s.string())),
    decided: s.anything(),
    decidedBy: s.optional(s.string()),
  });
  const ask = s.options<Ask>({
    id: s.matching(/^.{1,200}$/su, "a string of 1 to 200 characters"),
    kind,
    message: s.string(),
    schema: s.optional(s.object()),
    url: s.optional(url),
    call: s.optional(call),
  });
  return s.options<Omit<Suspension, "suspended">>({
    reason: s.optional(s.string()),
    answerSchema: s.optional(s.object()),
    then: s.optional(s.oneOf("result", "resume")),
    state: s.anything<Json>(),
    asks: s.optional(s.listOf(ask)),
  });
});

function problemOfAsks(asks: readonly Ask[]): string | undefined {
  const ids = asks.map(({ id }) => id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) return `two of its asks have the id '${twice}'.`;
  for (const { id, kind, url, schema } of asks) {
    if (kind === "url" && url === undefined) return `ask '${id}' has no \`url\`; expected a page to visit.`;
    const problem = schema && schemaProblem(schema);
    if (problem !== undefined) return `the schema of ask '${id}' cannot be used: ${problem}.`;
  }
  return undefined;
}

/** Returns what a tool returned or threw as a suspension can be stored, deeply frozen, or why it cannot. */
export function readSuspension({
  reason,
  answerSchema,
  then,
  state,
  asks,
}: Suspension): { readonly suspension: Suspension } | { readonly problem: string } {
  const given = { reason, answerSchema, then, state, asks };
  const wrong = problemOf(suspensionSchema(), given) ?? problemOfAsks(asks ?? []);
  if (wrong !== undefined) return { problem: wrong };
  const unfit = jsonProblem(given);
  if (unfit !== undefined) return { problem: `it ${unfit}.` };
  const text = JSON.stringify({ suspended: true, ...given });
  const bytes = byteLength(JSON.stringify(state) ?? "");
  if (bytes > MAX_STATE_BYTES) return { problem: "its state is larger than 64 KB." };
  return { suspension: frozenCopy(JSON.parse(text) as Suspension) };
}
