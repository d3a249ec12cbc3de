import { createHmac } from "node:crypto";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel } from "agentchart/testing";
import { createDispatcher, createWorker, inProcessQueue } from "agentchart/worker";
// #region webhooks
import { createServer, type Webhook } from "agentchart/server";

const secret = process.env["TRACKER_SECRET"] ?? "whsec_cmVwbGFjZSB0aGlzIGJ5IGEgc2VjcmV0IQ==";

const tracker: Webhook = {
  secrets: [secret],
  agent: "triage",
  input: "A new issue, {issue.title}, was opened by {issue.author}.",
  sessionId: "issue-{issue.id}",
};
// #endregion

const [store, queue] = [memoryStore(), inProcessQueue()];
// #region server
const app = createServer({
  dispatcher: createDispatcher({ store, queue }),
  store,
  tokens: "none",
  webhooks: { tracker },
});
// #endregion
const model = scriptedModel(["It is a bug."]);
const worker = createWorker({ store, queue, agents: { triage: () => ({ name: "triage", model }) } });
const ended = Promise.withResolvers<void>();
worker.subscribe(({ type }) => type === "turn.end" && ended.resolve());
await worker.start();

// #region sender
const body = JSON.stringify({ issue: { id: 7, title: "It is broken", author: "ada" } });
const [id, timestamp] = ["msg_1", String(Math.floor(Date.now() / 1_000))];
const hmac = createHmac("sha256", Buffer.from(secret.slice("whsec_".length), "base64"));
const headers = {
  "webhook-id": id,
  "webhook-timestamp": timestamp,
  "webhook-signature": `v1,${hmac.update(`${id}.${timestamp}.${body}`).digest("base64")}`,
};
for (let attempt = 1; attempt <= 2; attempt++) {
  const response = await app.request("/webhooks/tracker", { method: "POST", headers, body });
  console.log(response.status, await response.json());
}
// #endregion
await ended.promise;
await worker.close();
await queue.close();
console.log(model.requests[0]?.messages.at(-1)?.content);
