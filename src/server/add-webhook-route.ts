import { z, type OpenAPIHono } from "@hono/zod-openapi";
import { wrongTokenLimiter } from "../core/base/rate-limiter.ts";
import type { Json } from "../core/base/json.ts";
import { addressOf, LOCAL_ACCESS, tooMany, type ServerEnv } from "./authenticate.ts";
import type { ServerOptions } from "./options.ts";
import { accepted } from "./reply-schemas.ts";
import { RequestError } from "./request-error.ts";
import { ERRORS, reply } from "./routes.ts";
import { idText, json } from "./shared-schemas.ts";
import { verifyDelivery, type VerifiedDelivery } from "./webhook-signature.ts";
import { fillTemplate, type Webhook, type WebhookDelivery } from "./webhooks.ts";

const TOLERANCE_S = 300;
const MAX_ID = 200;

/** Describes the route. Its body is not parsed before its signature is verified, which is over its bytes. */
const ROUTE: Parameters<OpenAPIHono["openAPIRegistry"]["registerPath"]>[0] = {
  method: "post",
  path: "/webhooks/{name}",
  tags: ["webhooks"],
  summary: "Deliver a webhook",
  description:
    "Signed as https://www.standardwebhooks.com says. A delivery takes effect once, however often it is sent.",
  request: {
    params: z.object({ name: z.string() }),
    headers: z.object({
      "webhook-id": z.string().max(MAX_ID),
      "webhook-timestamp": z.string().openapi({ description: "Seconds since 1970" }),
      "webhook-signature": z
        .string()
        .openapi({ description: "`v1,` and the base64 of HMAC-SHA-256 over ID.TIMESTAMP.BODY" }),
    }),
    body: { content: { "application/json": { schema: json } }, required: true },
  },
  responses: {
    202: reply("Stored durably for a worker", accepted),
    204: { description: "The delivery is ignored" },
    ...ERRORS,
  },
};

/** Adds `POST /webhooks/NAME`. A delivery is an input whose key is its id: one that is sent again has no other effect. */
export function addWebhookRoute(
  app: OpenAPIHono<ServerEnv>,
  {
    webhooks,
    dispatcher,
    tokens,
    now = Date.now,
  }: Pick<ServerOptions, "dispatcher" | "tokens" | "now"> & {
    readonly webhooks: NonNullable<ServerOptions["webhooks"]>;
  },
): void {
  app.openAPIRegistry.registerPath(ROUTE);
  const tenants = tokens === "none" ? [LOCAL_ACCESS.tenant] : tokens.map((token) => token.tenant);
  const wrong = wrongTokenLimiter();
  app.post("/webhooks/:name", async (c) => {
    const name = c.req.param("name");
    const webhook = Object.hasOwn(webhooks, name) ? webhooks[name] : undefined;
    if (!webhook) throw new RequestError(404, "request/not-found", "There is no such webhook.");
    const body = new Uint8Array(await c.req.arrayBuffer());
    const headers = {
      id: c.req.header("webhook-id"),
      timestamp: c.req.header("webhook-timestamp"),
      signature: c.req.header("webhook-signature"),
    };
    const { secrets, toleranceSeconds = TOLERANCE_S } = webhook;
    let verified: VerifiedDelivery;
    try {
      verified = verifyDelivery(headers, body, {
        secrets,
        now: now(),
        toleranceMs: toleranceSeconds * 1_000,
      });
    } catch (error) {
      const waitMs = wrong.take(addressOf(c));
      throw waitMs > 0 ? tooMany("Too many webhooks without a valid signature.", waitMs) : error;
    }
    if (verified.id.length > MAX_ID)
      throw invalid(`The id of the webhook has more than ${MAX_ID} characters.`);
    const delivery = { webhook: name, ...verified, payload: payloadOf(body) };
    const input = await inputOf(webhook, delivery);
    if (input === undefined || input === null) return c.body(null, 204);
    const { tenant, agent, meta } = webhook;
    const { success: isId, data: id = "" } = idText.safeParse(sessionOf(webhook, delivery));
    if (!isId)
      throw invalid(
        "The session of the webhook has no id of 1 to 200 characters without control characters.",
      );
    // what a payload says must not reach the sessions of a tenant
    if (tenant === undefined && tenants.some((each) => id.startsWith(`${each}/`)))
      throw invalid(
        "The session of the webhook would be one of a tenant; expected another id, or the option `tenant`.",
      );
    const dispatched = await dispatcher.dispatch(tenant === undefined ? id : `${tenant}/${id}`, input, {
      agent,
      meta: { ...meta, ...(tenant !== undefined && { tenant }), webhook: name },
      idempotencyKey: `webhook/${name}/${delivery.id}`,
    });
    return c.json({ id, ...dispatched }, 202);
  });
}

const invalid = (detail: string): RequestError => new RequestError(400, "request/invalid", detail);

function payloadOf(body: Uint8Array): Json {
  try {
    return json.parse(JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body)));
  } catch {
    throw invalid("The body of the webhook is not JSON in UTF-8, of at most 100 levels.");
  }
}

async function inputOf({ input }: Webhook, delivery: WebhookDelivery) {
  return typeof input === "string" ? fillTemplate(input, delivery) : input(delivery);
}

function sessionOf({ sessionId = "{$webhook}-{$id}" }: Webhook, delivery: WebhookDelivery): string {
  return typeof sessionId === "string" ? fillTemplate(sessionId, delivery) : sessionId(delivery);
}
