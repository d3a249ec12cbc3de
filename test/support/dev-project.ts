import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { onTestFinished } from "vitest";
import { start, type Started } from "../cli/agentchart.ts";

const SOURCES = pathToFileURL(join(import.meta.dirname, "../../src/index.ts")).href;

/** Agents of a project. Their model begins each answer with a word of another file. "Pay." asks for an approval, "Ask." asks a person,
 *  "Wait." calls a tool that waits for the file `go`, "Halves." waits for it in the middle of an answer, "Crash." ends the thread. */
const AGENTS = `
import { appendFileSync, existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { defineTool, suspend } from ${JSON.stringify(SOURCES)};
import { word } from "./words.ts";

const go = async () => {
  while (!existsSync("go")) await sleep(20);
};
const euros = { type: "object", properties: { euros: { type: "number" }, note: { type: "string" } }, required: ["euros"] };
const pay = defineTool({
  name: "pay",
  description: "Pays.",
  input: euros,
  permission: "ask",
  execute: (input) => (appendFileSync("done.log", \`paid \${input.euros}\\n\`), \`paid \${input.euros}\`),
});
const wait = defineTool({
  name: "wait",
  description: "Waits.",
  input: { type: "object" },
  execute: async () => (await go(), await sleep(300), appendFileSync("done.log", "waited\\n"), "waited"),
});
const when = { id: "when", kind: "form", message: "When?", schema: { type: "string" } };
const ask = defineTool({
  name: "ask",
  description: "Asks.",
  input: { type: "object" },
  execute: (_, { resumed }) =>
    resumed ? "answered " + JSON.stringify(resumed.answers) : suspend("It asks.", { then: "resume", asks: [when] }),
});
const CALLS = { "Pay.": ["pay", { euros: 7 }], "Wait.": ["wait", {}], "Ask.": ["ask", {}] };
const textOf = ({ content }) => content.map((part) => part.text ?? part.output?.map(({ text }) => text).join("") ?? "").join("");

const model = {
  name: "scripted",
  async *stream({ messages }) {
    const last = messages.at(-1);
    const said = textOf(last);
    yield { type: "thinking.delta", delta: "Let me see." };
    if (said === "Crash.") setTimeout(() => { throw new Error("It broke."); });
    if (said === "Fail.") throw new Error("The model is out of order.");
    if (said === "Crash.") await new Promise(() => {});
    const call = last.role === "user" ? CALLS[said] : undefined;
    yield { type: "text.delta", delta: word };
    if (said === "Halves.") {
      yield { type: "text.delta", delta: " first half," };
      await go();
      yield { type: "text.delta", delta: " second half." };
    } else yield { type: "text.delta", delta: \`: \${said}\` };
    if (call) yield { type: "tool.delta", key: 0, id: "c" + messages.length, name: call[0], input: call[1] };
    yield { type: "usage", usage: { inputTokens: 12, outputTokens: 3 } };
    yield { type: "finish", reason: call ? "tool_calls" : "stop" };
  },
};
const make = (name) => () => ({ name, model, tools: [pay, wait, ask] });
export default { desk: make("desk"), clerk: make("clerk") };
`;

/** A folder with agents, and what runs there. */
export type DevProject = {
  readonly folder: string;
  readonly write: (file: string, text: string) => void;
  /** The lines that tools wrote. */
  readonly done: () => readonly string[];
  readonly dev: (...flags: readonly string[]) => Promise<RunningDev>;
};

export type RunningDev = Started & {
  /** What it has printed so far. */
  readonly output: () => string;
  /** The links that it has printed. */
  readonly chat: URL;
  readonly inspector: URL;
  readonly token: string;
  /** Sends a request to the API. Rejects with the body of a response that is an error. */
  readonly request: (method: string, path: string, body?: object) => Promise<Record<string, unknown>>;
};

export const wordsFile = (word: string): string => `export const word: string = ${JSON.stringify(word)};\n`;

/** A project whose agents say "One". Everything ends with the test. */
export function devProject(): DevProject {
  const folder = mkdtempSync(join(tmpdir(), "agentchart-dev-"));
  const started: Started[] = [];
  onTestFinished(async () => {
    for (const { child } of started) child.kill("SIGKILL");
    await Promise.all(started.map(({ finished }) => finished));
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  const write = (file: string, text: string): void => writeFileSync(join(folder, file), text);
  write("package.json", '{ "type": "module" }');
  write("agents.ts", AGENTS);
  write("words.ts", wordsFile("One"));
  write("done.log", "");
  return {
    folder,
    write,
    done: () => readFileSync(join(folder, "done.log"), "utf8").split("\n").filter(Boolean),
    async dev(...flags) {
      const args = ["dev", "--agents", "agents.ts", "--port", "0", ...flags];
      const running = start(args, { cwd: folder, env: { HOME: folder } });
      started.push(running);
      let text = "";
      for (const stream of [running.child.stdout!, running.child.stderr!])
        stream.on("data", (piece: string) => (text += piece));
      await running.printed("Ctrl-C ends it");
      await running.printed("API  ");
      const link = (name: string): URL => new URL(new RegExp(`^${name} +(\\S+)`, "m").exec(text)![1]!);
      const chat = link("Chat");
      const token = chat.hash.slice(3);
      const request = async (method: string, path: string, body?: object) => {
        const response = await fetch(new URL(path, chat.origin), {
          method,
          headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
          ...(body && { body: JSON.stringify(body) }),
        });
        if (!response.ok) throw new Error(await response.text());
        return (await response.json()) as Record<string, unknown>;
      };
      return { ...running, output: () => text, chat, inspector: link("Inspector"), token, request };
    },
  };
}
