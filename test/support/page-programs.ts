import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../project/source-files.ts";

/** A program in a page that is not part of an example: the page, which one of the page it is, and its code. */
export type PageProgram = { readonly page: string; readonly name: string; readonly code: string };

/** What readers have already where a page shows a part of a program, by the first line of the part. */
const ASSUMED: { readonly [firstLine: string]: string } = {
  'import { createWorker } from "agentchart/worker";': `
    import type { SessionStore } from "agentchart/session";
    import type { WorkerAgents } from "agentchart/worker";
    declare const store: SessionStore;
    declare const agents: WorkerAgents;`,
  'import { matchers, runOf, type EvalMatchers } from "agentchart/evals";': `
    import { expect } from "vitest";
    import { memoryStore } from "agentchart/store/memory";
    const store = memoryStore();`,
  'const reply = await agent.call("Book a room in Rome.");': `
    import type { Agent } from "agentchart";
    declare const agent: Agent;`,
  'const reply = await agent.call("What is new in the CRM?");': `
    import type { Agent } from "agentchart";
    declare const agent: Agent;`,
  'const id = "a-session-of-the-tenant";': `
    import { useChat } from "@ai-sdk/react";
    import { sendAnswers } from "agentchart/ui";
    import { DefaultChatTransport, type UIMessage } from "ai";
    declare const token: string;`,
  "await chat.sendMessage(undefined, { body: { decisions: { [callId]: { edit: { amount: 5 } } } } });": `
    import type { UseChatHelpers } from "@ai-sdk/react";
    import type { UIMessage } from "ai";
    declare const chat: UseChatHelpers<UIMessage>;
    declare const [callId, askId]: [string, string];`,
  "const { messages, pending, plan, status, error, send, decide, steer, interrupt } = useAgent({": `
    import { useAgent } from "agentchart/react";
    declare const id: string;
    declare const tokenOfNow: () => Promise<string>;`,
  'createAgent({ name: "desk", model, tools: [pay], toolOptions: { clientTools: ["show_map"] } });': `
    import { createAgent, type ChatModel, type Tool } from "agentchart";
    declare const model: ChatModel;
    declare const pay: Tool;`,
  "const agent = new HttpAgent({": `
    import { buildResumeArray, HttpAgent } from "@ag-ui/client";
    declare const id: string;
    declare const token: string;`,
};

const PAGES = ["*.md", "docs/*.md", "docs/guide/*.md", "visualizer/README.md"];
const BLOCK = /^( *)```(?:ts|tsx|js|mjs|typescript|javascript)(?: (?!examples\/)\S+)?\n([^]*?)^\1```$/gm;

/** The programs of all pages, each of which is a module, or a part of one with what a reader has already before it. */
export const pagePrograms = (): readonly PageProgram[] =>
  globSync(PAGES, { cwd: ROOT })
    .toSorted()
    .flatMap((page) =>
      [...readFileSync(join(ROOT, page), "utf8").matchAll(BLOCK)].map(
        ([, indent = "", block = ""], index) => {
          const lines = block.split("\n").map((line) => line.slice(indent.length));
          const assumed = ASSUMED[lines[0]!] ?? "";
          const name = `${page.replace(/\.md$/, "").replaceAll("/", "-")}-${index + 1}`;
          return { page, name, code: `${assumed}\n${lines.join("\n")}` };
        },
      ),
    );
