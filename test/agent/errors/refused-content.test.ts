// Content that a provider refuses is left out of the next request, and the turn goes on.
import fc from "../../support/fast-check.ts";
import { describe, expect, test } from "vitest";
import {
  AgentError,
  createAgent,
  defineHook,
  defineTool,
  textOf,
  userMsg,
  type Agent,
  type AgentConfig,
} from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import type { ErrorCode } from "../../../src/core/base/error.ts";
import type { MediaBlock, Msg } from "../../../src/core/message/types.ts";
import type { ChatModel, ModelRequest } from "../../../src/core/model/port.ts";

const image = (data: string): MediaBlock => ({
  type: "image",
  source: { type: "base64", mediaType: "image/png", data },
});
const BROKEN = image("BROKEN");
const SOUND = image("SOUNDOK");

const said = (text: string, ...media: readonly MediaBlock[]): Msg => ({
  ...userMsg(text),
  content: [{ type: "text", text }, ...media],
});

const textIn = ({ messages }: ModelRequest): string => JSON.stringify(messages.map(({ content }) => content));
const isSummary = ({ messages }: ModelRequest): boolean =>
  textOf(messages.at(-1)!).includes("Another model will go on");

type Host = ChatModel & { readonly requests: ModelRequest[]; refused: number; rounds: number };

/** A host that refuses each request in which `pattern` is, and asks for `rounds` calls of tools before it answers. */
function hostOf(
  pattern: RegExp,
  code: ErrorCode,
  data: { readonly [key: string]: number } = {},
  rounds = 0,
): Host {
  let made = 0;
  return {
    name: "host",
    requests: [],
    refused: 0,
    rounds,
    async *stream(request) {
      if (pattern.test(textIn(request))) {
        this.refused++;
        throw new AgentError(code, "Could not process image.", { data });
      }
      this.requests.push(request);
      if (!isSummary(request) && made < this.rounds)
        yield { type: "tool.delta", key: 0, id: `c${++made}`, name: "look", args: "{}" };
      else yield { type: "text.delta", delta: isSummary(request) ? "So far." : "Done." };
      yield { type: "finish", reason: "stop" };
    },
  };
}

const look = (output: readonly MediaBlock[]) =>
  defineTool({
    name: "look",
    description: "Looks.",
    input: { type: "object" },
    execute: () => ({ output: [{ type: "text", text: "Seen." }, ...output] }),
  });

/** The next inputs, a compaction, and another process: none of them is refused. */
async function goesOn(agent: Agent, hosts: readonly Host[], reopened?: () => Agent): Promise<void> {
  const before = hosts.reduce((sum, { refused }) => sum + refused, 0);
  expect((await agent.call("And now?")).text).toBe("Done.");
  await agent.call(`More. ${"Words of a user. ".repeat(100)}`);
  await agent.compact();
  expect((await agent.call("And then?")).text).toBe("Done.");
  await agent.close();
  if (reopened) {
    const other = reopened();
    expect((await other.call("Again?")).text).toBe("Done.");
    await other.close();
  }
  expect(hosts.reduce((sum, { refused }) => sum + refused, 0)).toBe(before);
}

const REFUSALS = [
  ["model/bad-request", { status: 400 }],
  ["model/content-filter", { status: 400 }],
  ["model/context-length", { status: 413 }],
] as const;

describe("an image that the provider refuses", () => {
  test("is left out of the next request, with a line that says so, and the turn goes on", async () => {
    const host = hostOf(/BROKEN/, "model/bad-request");
    const agent = createAgent({ name: "eyes", model: host });
    expect((await agent.call(said("What is it?", BROKEN))).text).toBe("Done.");
    expect(host.refused).toBe(1);
    expect(textIn(host.requests[0]!)).toContain("[image left out: the provider of the model refused it]");
    expect(JSON.stringify(await agent.messages())).toContain("BROKEN");
    await goesOn(agent, [host]);
  });

  test("never bricks a session, wherever it is, whoever is asked, and however it is refused", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...REFUSALS),
        fc.constantFrom("user", "tool", "history", "both"),
        fc.constantFrom("main", "fallback", "summary", "hooks"),
        fc.boolean(),
        fc.boolean(),
        async ([code, data], where, asked, isBlind, hasSound) => {
          const inTool = where === "tool" || where === "both";
          const inUser = where === "user" || where === "both";
          const host = hostOf(isBlind ? /BROKEN|SOUNDOK/ : /BROKEN/, code, data, inTool ? 1 : 0);
          const other = hostOf(/BROKEN|SOUNDOK/, code, data, 0);
          const store = memoryStore();
          const rewrites = defineHook({
            name: "rewrites",
            preReasoning: ({ messages }) => ({
              messages: messages.map((each): Msg =>
                each.role === "user" ? { ...each, metadata: { seen: true } } : each,
              ),
            }),
          });
          const media = [BROKEN, ...(hasSound ? [SOUND] : [])];
          const config: AgentConfig = {
            name: "eyes",
            model: host,
            tools: [look(media)],
            store,
            sessionId: "eyes",
            modelOptions: { execution: { maxAttempts: 1 } },
            ...(asked === "fallback" && { modelOptions: { fallbackModel: other } }),
            ...(asked === "summary" && { maxIters: 1 }),
            ...(asked === "hooks" && { hooks: [rewrites] }),
          };
          const messages = where === "history" ? { messages: [said("Look.", ...media)] } : {};
          const agent = createAgent({ ...config, ...messages });
          const input = inUser ? said("What is it?", ...media) : "What is it?";
          expect((await agent.call(input)).text).toBe("Done.");
          expect(host.refused + other.refused).toBeLessThanOrEqual(4);
          if (where !== "history") expect(JSON.stringify(await agent.messages())).toContain("BROKEN");
          await goesOn(agent, [host, other], () => createAgent(config));
        },
      ),
      { numRuns: 60 },
    );
  });

  test("is shown again if it was not what the provider refused", async () => {
    const host = hostOf(/WRONG/, "model/bad-request");
    const agent = createAgent({ name: "eyes", model: host, sysPrompt: "WRONG" });
    await expect(agent.call(said("", BROKEN))).rejects.toMatchObject({ code: "model/bad-request" });
    expect(host.refused).toBe(2);
    host.refused = 0;
    await expect(agent.call("Again")).rejects.toThrow(); // both are asked for anew
    expect(host.refused).toBe(2);
  });

  test("is not looked for if the provider does not know the model", async () => {
    const host = hostOf(/./, "model/bad-request", { refused: "model" } as never);
    await expect(createAgent({ name: "eyes", model: host }).call(said("", BROKEN))).rejects.toThrow();
    expect(host.refused).toBe(1);
  });

  test("is shown again once edit replaces its message", async () => {
    const host = hostOf(/BROKEN/, "model/bad-request");
    const agent = createAgent({ name: "eyes", model: host });
    await agent.call(said("What is it?", BROKEN));
    await agent.edit(([first, ...rest]) => [{ ...first!, content: [SOUND] }, ...rest]);
    await agent.call("And now?");
    expect(textIn(host.requests.at(-1)!)).toContain("SOUNDOK");
    expect(host.refused).toBe(1);
  });

  test("is not read again with read_result", async () => {
    const host = hostOf(/BROKEN/, "model/bad-request", {}, 1);
    const agent = createAgent({ name: "eyes", model: host, tools: [look([BROKEN])] });
    await agent.call("Look.");
    expect(host.refused).toBe(1);
    expect(textIn(host.requests.at(-1)!)).toContain("[image left out");
  });
});

describe("what a content filter refuses", () => {
  test("ends the turn, is left out from then on, and the session goes on", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.boolean(),
        fc.constantFrom("main", "summary"),
        fc.nat(2),
        async (inTool, asked, earlier) => {
          const host = hostOf(/FORBIDDEN/, "model/content-filter");
          const store = memoryStore();
          const tool = defineTool({
            name: "look",
            description: "Looks.",
            input: { type: "object" },
            execute: () => "FORBIDDEN words",
          });
          const config: AgentConfig = {
            name: "clerk",
            model: host,
            tools: [tool],
            store,
            sessionId: "clerk",
            ...(asked === "summary" && { maxIters: 1 }),
          };
          const agent = createAgent(config);
          for (let turn = 0; turn < earlier; turn++) await agent.call(`Turn ${turn}`);
          if (inTool) host.rounds = 1;
          const refused = agent.call(inTool ? "Look." : "FORBIDDEN words");
          if (inTool && asked === "summary") expect((await refused).reason).toBe("MAX_ITERATIONS");
          else await expect(refused).rejects.toMatchObject({ code: "model/content-filter" });
          await goesOn(agent, [host], () => createAgent(config));
          expect(textIn(host.requests.find((each) => textIn(each).includes("And now?"))!)).toContain(
            "[left out: the provider of the model refused what was said here]",
          );
        },
      ),
      { numRuns: 20 },
    );
  });
});

describe("a message that is too long by itself", () => {
  const HUGE = `HUGE ${"words of a report ".repeat(2_000)}`;

  test.each<[string, Partial<AgentConfig>]>([
    ["with a known window", { compaction: { contextTokens: 8_000 } }],
    ["with an unknown window", {}],
  ])("ends the turn, is left out from then on, and the session goes on: %s", async (_, options) => {
    const host = hostOf(/HUGE/, "model/context-length");
    const store = memoryStore();
    const config: AgentConfig = { name: "clerk", model: host, store, sessionId: "clerk", ...options };
    const agent = createAgent(config);
    await agent.call("Hello.");
    await expect(agent.call(HUGE)).rejects.toMatchObject({ code: "model/context-length" });
    await goesOn(agent, [host], () => createAgent(config));
    expect(textIn(host.requests.find((each) => textIn(each).includes("And now?"))!)).toContain("[left out: ");
  });

  test("is left out without compaction, too", async () => {
    const agent = createAgent({
      name: "clerk",
      model: hostOf(/HUGE/, "model/context-length"),
      compaction: false,
    });
    await expect(agent.call(HUGE)).rejects.toMatchObject({ code: "model/context-length" });
    expect((await agent.call("And now?")).text).toBe("Done.");
  });

  test("keeps what is short where others make the prompt too long", async () => {
    const host = hostOf(/HUGE/, "model/context-length");
    const agent = createAgent({ name: "clerk", model: host });
    await agent.call("Hello.");
    await expect(agent.call("HUGE")).rejects.toMatchObject({ code: "model/context-length" });
    await expect(agent.call("And now?")).rejects.toMatchObject({ code: "model/context-length" });
  });
});
