import { AgentError } from "../../src/core/base/error.ts";
import type { SessionStore } from "../../src/store/port.ts";
import { openStore, type StoreSpec } from "../support/open-store.ts";

// A process that does with a session what its parent says, at the instant its parent says.

export type Order =
  /** Append one entry; with the lease given, or with one taken from whoever has it. */
  | {
      readonly do: "append";
      readonly sessionId: string;
      readonly at: number;
      readonly expectedSeq: number;
      readonly fence?: number;
    }
  | { readonly do: "acquire"; readonly sessionId: string; readonly at: number }
  | { readonly do: "put"; readonly sessionId: string; readonly at: number; readonly id: string }
  | { readonly do: "read"; readonly sessionId: string; readonly at: number }
  /** Append as fast as possible, telling each new seq, until killed. */
  | { readonly do: "pound"; readonly sessionId: string; readonly at: number; readonly bytes: number };

const [spec, name] = process.argv.slice(2) as [string, string];
const store = await openStore(JSON.parse(spec) as StoreSpec);

const batch = (expectedSeq: number, fence: number, more: object) => ({
  expectedSeq,
  fence,
  entries: [{ seq: expectedSeq + 1, at: 0, type: "won", data: { by: name, ...more } }],
  position: { phase: "running" },
});

async function append(order: Order & { do: "append" }): Promise<string> {
  const { sessionId, expectedSeq } = order;
  const lease =
    order.fence === undefined ? await store.acquire(sessionId, { owner: name, ttlMs: 0 }) : undefined;
  await store.append(sessionId, batch(expectedSeq, order.fence ?? lease?.fence ?? -1, {}));
  return "advanced";
}

async function pound(sessionId: string, bytes: number): Promise<never> {
  const lease = await store.acquire(sessionId, { owner: name, ttlMs: 0 });
  let seq = (await store.load(sessionId))?.seq ?? 0;
  for (;;) {
    seq = await store.append(sessionId, batch(seq, lease!.fence, { text: "x".repeat(bytes) }));
    process.send!({ seq });
  }
}

async function journal(from: SessionStore, sessionId: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { seq, data } of from.read(sessionId)) found.push(`${seq} ${String(data["by"])}`);
  return found;
}

async function obey(order: Order): Promise<unknown> {
  const { sessionId } = order;
  if (order.do === "append") return append(order);
  if (order.do === "read") return journal(store, sessionId);
  if (order.do === "pound") return pound(sessionId, order.bytes);
  if (order.do === "put") return store.putInput(sessionId, { id: order.id, data: { by: name } });
  return (await store.acquire(sessionId, { owner: name, ttlMs: 60_000 })) ? "leased" : "refused";
}

process.on("message", (order: Order) => {
  while (Date.now() < order.at); // both rivals leave this loop at the same instant
  obey(order).then(
    (answer) => process.send!({ answer }),
    (error: unknown) => process.send!({ answer: AgentError.is(error) ? error.code : String(error) }),
  );
});
process.on("disconnect", () => process.exit());
process.send!({ answer: "ready" });
