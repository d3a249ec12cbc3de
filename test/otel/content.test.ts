// What was said is in no span unless that is asked for.
import { describe, expect, test } from "vitest";
import { createAgent, defineTool, type AgentConfig } from "agentchart";
import { otelObserver, type OtelOptions } from "agentchart/otel";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";
import { recordedSpans } from "../support/spans.ts";

const HOSTILE = "<script>HOSTILE</script>";

/** Runs a turn in which every text that somebody else chooses is hostile, and returns all that its spans hold. */
async function played(options: OtelOptions = {}, config: Partial<AgentConfig> = {}) {
  const { tracer, spans } = recordedSpans();
  const turns: readonly ScriptedTurn[] = [
    {
      text: HOSTILE,
      thinking: HOSTILE,
      calls: [
        { id: `${HOSTILE}1`, name: "echo", input: { text: HOSTILE, password: "hunter2" } },
        { id: "c2", name: HOSTILE, input: {} },
        { id: "c3", name: "boom", input: {} },
      ],
    },
    { error: new Error(HOSTILE) },
  ];
  const input = { type: "object" };
  const agent = createAgent({
    name: "bot",
    sysPrompt: `system ${HOSTILE}`,
    model: scriptedModel(turns),
    tools: [
      defineTool({ name: "echo", description: "echoes", input, execute: () => HOSTILE }),
      defineTool({
        name: "boom",
        description: "throws",
        input,
        execute: () => {
          throw new Error(HOSTILE);
        },
      }),
    ],
    otel: otelObserver({ tracer, ...options }),
    ...config,
    modelOptions: { execution: { maxAttempts: 1 }, ...config.modelOptions },
  });
  await expect(agent.call(HOSTILE)).rejects.toThrow();
  const all = spans().map(({ name, attributes, events, status }) => ({ name, attributes, events, status }));
  return { all, text: JSON.stringify(all) };
}

describe("what was said", () => {
  test("is in no span by default: not of users, models, tools, nor in errors, names and ids", async () => {
    const { all, text } = await played();
    expect(all.map(({ name }) => name)).toEqual([
      "chat scripted",
      "execute_tool echo",
      "execute_tool boom",
      "chat scripted",
      "invoke_agent bot",
    ]);
    expect(text).not.toContain("HOSTILE");
    expect(text).not.toContain("hunter2");
  });

  test("is there with content: true, without secrets, in the shape of the conventions", async () => {
    const { all, text } = await played({ content: true });
    expect(text).not.toContain("hunter2");
    const [chat, echo, boom, failed] = all;
    const parsed = (span: (typeof all)[number] | undefined, name: string): unknown =>
      JSON.parse(String(span!.attributes[name]));
    expect(parsed(chat, "gen_ai.input.messages")).toEqual([
      { role: "user", parts: [{ type: "text", content: HOSTILE }] },
    ]);
    expect(parsed(chat, "gen_ai.system_instructions")).toEqual([
      { type: "text", content: `system ${HOSTILE}` },
    ]);
    expect(parsed(chat, "gen_ai.tool.definitions")).toHaveLength(2);
    expect(parsed(chat, "gen_ai.output.messages")).toMatchObject([
      {
        role: "assistant",
        finish_reason: "tool_calls",
        parts: expect.arrayContaining([{ type: "reasoning", content: HOSTILE }]),
      },
    ]);
    expect(parsed(echo, "gen_ai.tool.call.arguments")).toEqual({ text: HOSTILE, password: "[redacted]" });
    expect(parsed(echo, "gen_ai.tool.call.result")).toBe(HOSTILE);
    expect(parsed(boom, "gen_ai.tool.call.result")).toContain(HOSTILE);
    expect(parsed(failed, "agentchart.error.message")).toContain(HOSTILE);
  });

  test("passes through the agent's redact and the observer's, and is left out if one of them throws", async () => {
    const hide = (from: string, to: string) => (value: unknown) =>
      JSON.parse(JSON.stringify(value).replaceAll(from, to)) as never;
    const { text } = await played(
      { content: true, redact: hide("HIDDEN", "GONE") },
      { sessionOptions: { redact: hide("HOSTILE", "HIDDEN") } },
    );
    expect(text).toContain("GONE");
    expect(text).not.toMatch(/HIDDEN|HOSTILE/);
    const failing = await played({
      content: true,
      redact: () => {
        throw new Error("no");
      },
    });
    expect(failing.text).not.toContain("HOSTILE");
    expect(failing.all).toHaveLength(5);
  });

  test.each([
    ["one long text", "x".repeat(100_000)],
    ["long text of many bytes", "語".repeat(50_000)],
    ["characters of two halves", `x${"😀".repeat(50_000)}`],
  ])("is at most 16 KB an attribute: %s", async (_, input) => {
    const { tracer, spans } = recordedSpans();
    const messages = Array.from({ length: 300 }, (__, index) => ({
      id: `m${index}`,
      role: "user" as const,
      name: "user",
      content: [{ type: "text" as const, text: `message ${index} ${"y".repeat(300)}` }],
      metadata: {},
      timestamp: 0,
    }));
    const agent = createAgent({
      name: "bot",
      model: scriptedModel(["ok"]),
      messages,
      otel: otelObserver({ tracer, content: true }),
    });
    await agent.call(input);
    const chat = spans()[0]!.attributes;
    const sent = String(chat["gen_ai.input.messages"]);
    expect(Buffer.byteLength(sent)).toBeLessThanOrEqual(16 * 1024);
    expect(sent).not.toMatch(/\\ud[89a-f]/);
    expect(JSON.parse(sent)).toContainEqual(expect.objectContaining({ role: "user" }));
    expect(chat["agentchart.content.is_shortened"]).toBe(true);
  });
});
