import * as s from "../core/base/option-schema.ts";
import { isObject, type Json, type JsonObject } from "../core/base/json.ts";
import type { Msg } from "../core/message/types.ts";
import { RequestError } from "./request-error.ts";
import { secretBytes } from "./webhook-signature.ts";

/** A delivery of a webhook whose signature is right. */
export type WebhookDelivery = {
  /** The name of the webhook, from its path. */
  readonly webhook: string;
  /** The id that its sender has given it; it is the same when it is sent again. */
  readonly id: string;
  /** Epoch ms at which it was signed. */
  readonly timestamp: number;
  /** The body. */
  readonly payload: Json;
};

/** A webhook: what its deliveries start. Their text is untrusted: what an agent may do for them is up to its permissions. */
export type Webhook = {
  /** The secrets of the senders, each `whsec_` and base64, or a text, of at least 24 bytes. A delivery may be signed with any of them: to
   *  rotate, add the new one, and remove the old one when no sender has it. */
  readonly secrets: readonly string[];
  /** The name of the worker's agent that drives the sessions. */
  readonly agent: string;
  /** The text of the input, or a function that returns text or messages. In the text `{issue.title}` stands for what the payload has there,
   *  `{$id}` for the id of the delivery, and `{$webhook}` for the name. A delivery for which the function returns undefined is ignored. */
  readonly input:
    | string
    | ((delivery: WebhookDelivery) => WebhookInput | undefined | Promise<WebhookInput | undefined>);
  /** The session of a delivery, with the same placeholders: 1 to 200 characters, none of them a control character. Deliveries with the same
   *  one are inputs of one session. Default: a new one for each. */
  readonly sessionId?: string | ((delivery: WebhookDelivery) => string) | undefined;
  /** The tenant of the sessions, whose tokens then see them. */
  readonly tenant?: string | undefined;
  /** Labels of new sessions. */
  readonly meta?: JsonObject | undefined;
  /** For how long a signature is valid, before and after its timestamp, in s; default 300. */
  readonly toleranceSeconds?: number | undefined;
};

/** The text or the messages that a delivery is mapped to. */
export type WebhookInput = string | Msg | readonly Msg[];

const MIN_SECRET_BYTES = 24;

/** The schema of {@link Webhook}. */
export const webhookSchema = s.lazily(() => {
  const mapping = <T>(what: string) =>
    s.either(s.nonEmpty(), s.func<Extract<T, (...args: never) => unknown>>(), what);
  const secret = s.restricted(
    s.secret(`a secret of at least ${MIN_SECRET_BYTES} bytes, as a text or whsec_ with base64`),
    (value) => secretBytes(value).length >= MIN_SECRET_BYTES,
    `a secret of at least ${MIN_SECRET_BYTES} bytes`,
  );
  return s.options<Webhook>(
    {
      secrets: s.restricted(s.listOf(hidden(secret)), (list) => list.length > 0, "at least one secret"),
      agent: s.nonEmpty("the name of an agent"),
      input: mapping<Webhook["input"]>("a text with placeholders such as {issue.title}, or a function"),
      sessionId: s.optional(
        mapping<NonNullable<Webhook["sessionId"]>>(
          "a text with placeholders such as {issue.id}, or a function",
        ),
      ),
      tenant: s.optional(s.matching(/^(?!agentchart$)[^/]+$/u, "the name of a tenant")),
      meta: s.optional(s.object()),
      toleranceSeconds: s.optional(s.integer(1)),
    },
    { what: "a webhook, such as { secrets, agent, input }" },
  );
});

/** The schema without what was found, which may be a secret. */
function hidden(schema: ReturnType<typeof s.secret>): ReturnType<typeof s.secret> {
  return {
    ...schema,
    issueOf: (value) => {
      const issue = schema.issueOf(value);
      return issue && { ...issue, message: () => `is not right; expected ${issue.expected}` };
    },
  };
}

/** Returns a template with its placeholders filled. Throws `request/invalid` for one that the payload does not have. */
export function fillTemplate(template: string, delivery: WebhookDelivery): string {
  return template.replaceAll(/\{([$\w][\w.-]*)\}/gu, (_, path: string) => {
    const value = valueAt(path, delivery);
    if (value === undefined)
      throw new RequestError(400, "request/invalid", `The payload of the webhook has no '${path}'.`);
    return typeof value === "string" ? value : JSON.stringify(value);
  });
}

function valueAt(path: string, { id, webhook, payload }: WebhookDelivery): Json | undefined {
  if (path === "$id") return id;
  if (path === "$webhook") return webhook;
  let value: Json | undefined = payload;
  for (const key of path.split(".")) {
    if (Array.isArray(value))
      value = /^\d+$/u.test(key) ? (value as readonly Json[])[Number(key)] : undefined;
    else value = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  }
  return value;
}
