// The process of `killed.test.ts`: evaluates an agent whose tool writes each of its effects to a file, and prints a line for each.
import { appendFileSync } from "node:fs";
import { defineTool } from "agentchart";
import { evaluate, reply, used } from "agentchart/evals";
import { sqliteStore } from "agentchart/store/sqlite";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";

const [path = "", ledger = ""] = process.argv.slice(2);
const store = sqliteStore({ path });
const note = defineTool({
  name: "note",
  description: "",
  input: { type: "object" },
  idempotent: true,
  execute: (input, { idempotencyKey }) => {
    appendFileSync(ledger, `${idempotencyKey}\n`);
    console.log("step");
    return JSON.stringify(input);
  },
});

/** Answers by what the conversation has already: a process that goes on begins in the middle of it. */
const turn: ScriptedTurn = async function* ({ messages }) {
  console.log("step");
  const notes = messages.filter(({ role }) => role === "tool").length;
  if (notes < 2)
    yield { type: "tool.delta", key: 0, id: `note_${notes}`, name: "note", args: JSON.stringify({ notes }) };
  else yield { type: "text.delta", delta: "Noted twice." };
  yield { type: "finish", reason: notes < 2 ? "tool_calls" : "stop" };
};

const report = await evaluate("killed", {
  agent: () => ({ name: "noter", model: scriptedModel(Array<ScriptedTurn>(9).fill(turn)), tools: [note] }),
  cases: ["a", "b", "c"].map((name) => ({ name, input: "Note it twice." })),
  judge: [reply.equals("Noted twice."), used("note").times(2)],
  repeat: 4,
  concurrency: 2,
  store,
  onProgress: () => console.log("step"),
});
console.log(JSON.stringify(report));
await store.close();
