// The world outside of the agents: what their tools do, written into a SQLite file, and what their model says.
import { setTimeout as sleep } from "node:timers/promises";
import { DatabaseSync } from "node:sqlite";

/** The ledger: one row for each thing that happened, in a file that a killed process cannot take back. */
export class Ledger {
  #db;
  constructor(path) {
    this.#db = new DatabaseSync(path, { timeout: 10_000 });
    this.#db.exec(`PRAGMA journal_mode = WAL;
      CREATE TABLE IF NOT EXISTS happened (at INTEGER PRIMARY KEY, what TEXT, tool TEXT, key TEXT, args TEXT)`);
  }
  write(what, tool, key, args) {
    this.#db
      .prepare("INSERT INTO happened (what, tool, key, args) VALUES (?, ?, ?, ?)")
      .run(what, tool, key ?? "", JSON.stringify(args ?? null));
  }
  read(what, tool) {
    return this.#db
      .prepare("SELECT key, args FROM happened WHERE what = ? AND tool = ? ORDER BY at")
      .all(what, tool)
      .map(({ key, args }) => ({ key: String(key), args: String(args) }));
  }
  async until(what, tool, ms) {
    for (const end = Date.now() + ms; Date.now() < end; await sleep(20))
      if (this.read(what, tool).length > 0) return true;
    return false;
  }
  close() {
    this.#db.close();
  }
}

const kill = async () => {
  process.kill(process.pid, "SIGKILL");
  await new Promise(() => {});
};

/** The tools, without a word of any framework. `key` is the id of the call, which an honest tool would send along. */
export function toolsOf({ die, hold, fail }, ledger) {
  const act = async (tool, args, key) => {
    ledger.write("began", tool, key, args);
    if (fail === tool && ledger.read("failed", tool).length === 0) {
      ledger.write("failed", tool, key, args);
      throw new Error("The bank does not answer. Try again.");
    }
    if (hold === tool) await ledger.until("released", tool, 240_000);
    if (die === `${tool}:before`) await kill();
    ledger.write("effect", tool, key, args);
    if (die === `${tool}:after`) await kill();
    return `${tool} is done.`;
  };
  return {
    lookup: (args, key) => act("lookup", args, key),
    notify: (args, key) => act("notify", args, key),
    refund: (args, key) => act("refund", args, key),
    charge: async (args, key) => {
      await ledger.until("effect", "notify", 60_000);
      await sleep(500); // every system has time to write down that the other call has ended
      return await act("charge", args, key);
    },
  };
}

export const ORDER = 17;
const REFUND = { order: ORDER, cents: 1_200 };
const answer = (text) => ({ text, calls: [] });
const ask = (...calls) => ({ text: "", calls: calls.map(([name, args]) => ({ name, args })) });

/**
 * Says what the model answers. `input` is what the user said, `results` are the results since then, as `{ name, text }`, oldest first.
 */
export function modelSays(input, results) {
  const has = (name) => results.some((result) => result.name === name);
  if (input.startsWith("Ask the clerk")) {
    if (!has("clerk")) return ask(["clerk", { task: `Look up order ${ORDER} and refund it.` }]);
    return answer("The clerk has answered.");
  }
  if (input.startsWith("Look up")) {
    if (!has("lookup")) return ask(["lookup", { order: ORDER }]);
    return has("refund") ? answer("Order 17 is refunded.") : ask(["refund", REFUND]);
  }
  if (input.startsWith("Notify")) {
    if (!has("notify")) return ask(["notify", { order: ORDER }], ["charge", { order: ORDER, cents: 500 }]);
    return answer("The customer is notified and charged.");
  }
  const refunds = results.filter(({ name }) => name === "refund");
  const tryAgain = refunds.length === 1 && /try again/iu.test(refunds[0].text);
  if (refunds.length === 0 || tryAgain) return ask(["refund", REFUND]);
  return answer("Order 17 is refunded.");
}

/** Id of the n-th call of a conversation. */
export const callId = (scope, count) => `call_${scope}_${count}`;

/** Tools of an agent, with the arguments that they take, by release. */
export function describe(release = "first") {
  const order = { type: "integer", description: "The number of the order." };
  const amount = { type: "integer", description: "How many cents." };
  const refund =
    release === "schema"
      ? { order, amountInCents: amount, currency: { type: "string" } }
      : { order, cents: amount };
  const all = {
    lookup: { description: "Looks up an order.", fields: { order }, approval: false },
    notify: { description: "Sends the customer a message.", fields: { order }, approval: false },
    charge: { description: "Charges the customer.", fields: { order, cents: amount }, approval: false },
    refund: { description: "Refunds an order.", fields: refund, approval: true },
  };
  if (release === "removed") delete all.refund;
  return all;
}
