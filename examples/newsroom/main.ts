// npx node --conditions=agentchart-source examples/newsroom/main.ts harbour        researches, writes, and asks a person
// npx node --conditions=agentchart-source examples/newsroom/main.ts approve        publishes, in another process
// npx node --conditions=agentchart-source examples/newsroom/main.ts "be shorter"   has it written anew
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { fileStore } from "agentchart/store/file";
import { createActor, type Snapshot } from "xstate";
import { newsroom } from "./newsroom.ts";

const FILE = "newsroom.json";
const [said] = process.argv.slice(2);
const machine = newsroom({
  store: fileStore({ dir: "sessions" }),
  sessionOptions: { leaseMs: 2_000 },
  folder: "published",
});
const snapshot = existsSync(FILE) ? (JSON.parse(readFileSync(FILE, "utf8")) as Snapshot<unknown>) : undefined;
const actor = createActor(machine, {
  ...(snapshot && { snapshot }),
  input: { topic: said ?? "harbour" },
});
/** What the person has answered to the question of an earlier process, and the call that it was about. */
const answer = snapshot ? said : undefined;
let decided: string | undefined;

/** What a kill may not lose is in the file before anything else is done. */
function keep(): void {
  writeFileSync(`${FILE}.new`, JSON.stringify(actor.getPersistedSnapshot()));
  renameSync(`${FILE}.new`, FILE);
}

let shown = "";
actor.subscribe({
  next: ({ value, status, children, output }) => {
    keep();
    const now = JSON.stringify(value);
    if (now !== shown) console.log((shown = now));
    if (status === "done")
      console.log(output.isPublished ? `Published: ${output.article}` : "Not published.");
    const [waiting] = children["editor"]?.getSnapshot().pending ?? [];
    if (status !== "active" || !waiting || waiting.callId === decided) return;
    const { callId, name, input } = waiting;
    if (decided !== undefined || !answer) {
      console.log(`May ${name} run with ${JSON.stringify(input)}?`);
      actor.stop(); // the process ends; the newsroom waits in its file
      return;
    }
    decided = callId;
    const decision = answer === "approve" ? answer : { deny: answer };
    queueMicrotask(() => actor.send({ type: "DECIDE", callId, decision }));
  },
  error: (error) => {
    throw error;
  },
});
actor.start();
