import * as s from "../base/option-schema.ts";
import { jsonProblem, type Json, type JsonObject } from "../base/json.ts";
import { outputSchema } from "../message/validate.ts";
import type { Decision } from "./pending.ts";

type Form<Field extends string> = Extract<Decision, { readonly [each in Field]: unknown }>;

const DECISION =
  '"approve", "deny", "retry", { approve: true, remember? }, { deny: text }, { edit: arguments }, { answer }, { respond: value }, { decline: true } or { cancel: true }';

/** The schema of {@link Decision}. */
export const decisionSchema = s.lazily(() => {
  const remember = s.optional(s.oneOf("tool", "input"));
  const text = s.string();
  const edit = s.object<JsonObject>();
  const answer = s.either(text, outputSchema(), "an answer");
  const respond = s.value<Json>((value) => value !== undefined, "JSON");
  const decision = s.anyOf<Decision>(
    [
      s.oneOf("approve", "deny", "retry"),
      s.options<Form<"approve">>({ approve: s.exactly(true), remember }),
      s.options<Form<"deny">>({ deny: text }),
      s.options<Form<"edit">>({ edit }),
      s.options<Form<"answer">>({ answer }),
      s.options<Form<"respond">>({ respond }),
      s.options<Form<"decline">>({ decline: s.exactly(true) }),
      s.options<Form<"cancel">>({ cancel: s.exactly(true) }),
    ],
    DECISION,
  );
  return s.restricted(decision, (value) => jsonProblem(value) === undefined, DECISION);
});
