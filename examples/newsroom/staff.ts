import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { defineTool, textOf, toolResultsOf, type ChatModel, type Msg } from "agentchart";
import { openaiModel } from "agentchart/openai";
import { z } from "zod";

const ARCHIVE: { readonly [topic: string]: string } = {
  harbour: "The harbour was built in 1912 and closed for ships in 1987.",
};
const STREET: { readonly [topic: string]: string } = {
  harbour: "Since May people swim in the harbour again. The water is clean.",
};

const about = z.object({ topic: z.string() });

/** Looks a topic up in what was printed before. */
export const searchArchive = defineTool({
  name: "search_archive",
  description: "Looks a topic up in the archive.",
  input: about,
  idempotent: true,
  execute: ({ topic }) => ARCHIVE[topic] ?? "The archive has nothing.",
});

/** Asks people about a topic. */
export const askAround = defineTool({
  name: "ask_around",
  description: "Asks people in the street about a topic.",
  input: about,
  idempotent: true,
  execute: ({ topic }) => STREET[topic] ?? "Nobody knows anything.",
});

/** The tool that publishes into a folder. A person is asked; and a call that is repeated after a crash publishes the same file again. */
export const publishInto = (folder: string) =>
  defineTool({
    name: "publish",
    description: "Publishes an article. A person is asked whether it may be.",
    input: z.object({ text: z.string() }),
    permission: "ask",
    idempotent: true,
    execute: ({ text }, { idempotencyKey }) => {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, `${idempotencyKey.replaceAll(/[^\w-]+/gu, "-")}.txt`), `${text}\n`);
      return "Published.";
    },
  });

type Answer = { readonly say: string } | { readonly call: string; readonly input: object };

/** A model that is a function of what it was told, so that the example runs without a key. */
function scripted(name: string, answer: (told: string, result: string | undefined) => Answer): ChatModel {
  const { OPENAI_API_KEY: apiKey } = process.env;
  if (apiKey) return openaiModel({ model: "gpt-4.1-mini", apiKey });
  return {
    name,
    async *stream({ messages }: { readonly messages: readonly Msg[] }) {
      const told = messages.findLast(({ role }) => role === "user");
      const [result] = messages.slice(messages.indexOf(told!)).flatMap(toolResultsOf);
      const first = result?.output[0];
      const answered = answer(told ? textOf(told) : "", first?.type === "text" ? first.text : undefined);
      if ("say" in answered) yield { type: "text.delta", delta: answered.say };
      else yield { type: "tool.delta", key: 0, name: answered.call, args: JSON.stringify(answered.input) };
      yield { type: "finish", reason: "call" in answered ? "tool_calls" : "stop" };
    },
  };
}

/** Looks up with its one tool, and says what it has found. */
export const researcherModel = (tool: string): ChatModel =>
  scripted(tool, (topic, found) => (found === undefined ? { call: tool, input: { topic } } : { say: found }));

export const writerModel: ChatModel = scripted("writer", (told) => {
  const facts = /^Facts: (.*)$/mu.exec(told)?.[1] ?? "";
  const wish = /^Wish: (.*)$/mu.exec(told)?.[1];
  return { say: wish === undefined ? facts : `${facts} (${wish})` };
});

/** Wants to publish what it reads, and says what a person has answered. */
export const editorModel: ChatModel = scripted("editor", (text, answer) =>
  answer === undefined ? { call: "publish", input: { text } } : { say: answer },
);
