// Slots: their names, values and schemas.
import { describe, expect, test } from "vitest";
import { createToolkit, defineSlot, defineTool, type Slot } from "agentchart";
import { z } from "zod";
import { slotValue, readSlot, writtenSlots } from "../../src/core/tool/slot.ts";

const config = (message: RegExp) =>
  expect.objectContaining({
    code: "config/invalid",
    message: expect.stringMatching(message) as string,
  }) as Error;
const plan = defineSlot<readonly string[]>({ name: "plan", initial: [] });

describe("defineSlot", () => {
  test("refuses a bad name, an initial value that is not JSON, and one that its schema refuses", () => {
    expect(() => defineSlot({ name: "my plan", initial: null })).toThrow(config(/^Slot 'my plan': `name`/));
    expect(() => defineSlot({ name: "__proto__", initial: null })).toThrow(config(/`name`/));
    expect(() => defineSlot({ name: "plan", initial: undefined })).toThrow(config(/`initial` is not JSON/));
    expect(() => defineSlot({ name: "plan", initial: 1n })).toThrow(config(/`initial` is not JSON/));
    expect(() => defineSlot({ name: "plan", initial: "", schema: z.number() })).toThrow(
      config(/`initial` is refused by its schema/),
    );
    expect(() => defineSlot({ name: "plan", initial: null, version: 0 })).toThrow(config(/`version` is 0/));
    expect(() => defineSlot({ name: "plan", initial: null, verison: 2 } as never)).toThrow(
      config(/`version`/),
    );
  });

  test("freezes the initial value deeply", () => {
    const slot = defineSlot({ name: "plan", initial: { steps: ["a"] } });
    expect(() => slot.initial.steps.push("b")).toThrow(TypeError);
  });
});

describe("a value of a slot", () => {
  test.each([
    ["64 KB", "x".repeat(65_534), undefined],
    ["one byte more", "x".repeat(65_535), "has 65537 bytes of JSON; a slot takes 65536"],
    ["characters of several bytes", "é".repeat(40_000), "has 80002 bytes of JSON; a slot takes 65536"],
    ["a function", () => {}, "is not JSON"],
    ["undefined", undefined, "is not JSON"],
  ])("with %s", (_what, value, problem) => {
    expect(slotValue(plan as Slot, value)).toEqual(problem === undefined ? { value } : { problem });
  });

  test("is what the schema makes of it, and a schema that is asynchronous refuses it", () => {
    const counted = defineSlot({
      name: "n",
      initial: { n: 0 },
      schema: z.object({ n: z.number().default(7) }),
    });
    expect(slotValue(counted as Slot, {})).toEqual({ value: { n: 7 } });
    const slow = { ...counted, schema: z.object({ n: z.number() }).refine(() => Promise.resolve(true)) };
    expect(slotValue(slow as Slot, { n: 1 })).toMatchObject({
      problem: expect.stringMatching(/schema/) as string,
    });
    const json = defineSlot({ name: "n", initial: 1, schema: { type: "number" } });
    expect(slotValue(json as Slot, "1")).toMatchObject({
      problem: expect.stringMatching(/number/) as string,
    });
  });

  test("of an earlier version is migrated when it is read, and one of a newer version is refused", () => {
    const stored = { plan: { value: ["a"], version: 1, revision: 3 } };
    const next = defineSlot<{ readonly steps: readonly string[] }>({
      name: "plan",
      initial: { steps: [] },
      version: 2,
      migrate: (value) => ({ steps: value as string[] }),
    });
    expect(readSlot(next, stored)).toEqual({ steps: ["a"] });
    expect(readSlot(next, {})).toEqual({ steps: [] });
    const newer = { plan: { ...stored.plan, version: 3 } };
    const version = (message: RegExp) =>
      expect.objectContaining({
        code: "slot/version",
        message: expect.stringMatching(message) as string,
      }) as Error;
    expect(() => readSlot(next, newer)).toThrow(version(/version 3, and this process has version 2\.$/));
    const { migrate: _, ...without } = next;
    expect(() => readSlot(without, stored)).toThrow(version(/version 2 without `migrate`/));
    const broken = { ...next, migrate: () => undefined as never };
    expect(() => readSlot(broken, stored)).toThrow(version(/`migrate` of slot 'plan' returned is not JSON/));
    expect(() => readSlot({} as never, stored)).toThrow(config(/^slots\.get: The slot/));
  });

  test("of a slot named like a method of every object is absent until it is written", () => {
    const odd = defineSlot({ name: "constructor", initial: "none" });
    expect(readSlot(odd, {})).toBe("none");
    expect(writtenSlots([odd as Slot], { constructor: "new" }, {})).toEqual({
      slots: { constructor: { value: "new", version: 1, revision: 1 } },
    });
  });
});

describe("a tool", () => {
  const input = { type: "object" };
  const writer = (name: string, writes: readonly Slot[]) =>
    defineTool({ name, description: "", input, writes, execute: () => "ok" });

  test("that is external cannot write slots", () => {
    expect(() => defineTool({ name: "ext", description: "", input, writes: [plan] })).toThrow(
      config(/^Tool 'ext' has no `execute`/),
    );
    expect(() => defineTool({ name: "a", description: "", input, writes: ["plan"] as never })).toThrow(
      config(/`writes\[0\]` is "plan"; expected a slot/),
    );
  });

  test("is refused by a toolkit that knows another slot of the same name, and leaves no trace there", () => {
    const toolkit = createToolkit({ tools: [writer("a", [plan]), writer("b", [plan])] });
    const other = defineSlot({ name: "plan", initial: null });
    expect(() => toolkit.add(writer("c", [defineSlot({ name: "more", initial: 0 }), other]))).toThrow(
      config(/Two slots are named 'plan'/),
    );
    expect(toolkit.names()).toEqual(["a", "b"]);
    toolkit.add(writer("d", [defineSlot({ name: "more", initial: 0 })]));
  });

  test("that a toolkit invokes reads initial values, and its writes are checked and dropped", async () => {
    const toolkit = createToolkit({
      tools: [
        defineTool({
          name: "add",
          description: "",
          input: { type: "object" },
          writes: [plan],
          execute: (given, { slots }) => ({
            output: [{ type: "text", text: JSON.stringify(slots.get(plan)) }],
            slots: { [String(given["slot"])]: ["a"] },
          }),
        }),
      ],
    });
    const text = { type: "text", text: "[]" };
    expect(await toolkit.invoke("add", { slot: "plan" })).toMatchObject({ state: "success", output: [text] });
    expect(await toolkit.invoke("add", { slot: "plan" })).toMatchObject({ state: "success", output: [text] });
    expect(await toolkit.invoke("add", { slot: "other" })).toMatchObject({
      state: "error",
      code: "tool/failed",
    });
  });
});
