// Skills: their catalogue, the tool that loads them, and their own tools.
import { rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createAgent, textOf, type AgentConfig, type JsonObject, type ModelRequest } from "agentchart";
import { loadedSlot, skills, skillWarningsSlot, type Skill, type SkillsOptions } from "agentchart/skills";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";
import { countText } from "../../../src/core/model/request.ts";
import { outputOf, resultsOf, toolOf } from "../../support/agents.ts";
import { temporaryFolder, write, writePlainSkill } from "../../support/skill-folder.ts";

const load = (name: string, path?: string): ScriptedTurn => ({
  calls: [{ name: "load_skill", input: { name, ...(path !== undefined && { path }) } }],
});
const calling = (name: string, input: JsonObject = {}): ScriptedTurn => ({ calls: [{ name, input }] });

function agentOf(turns: readonly ScriptedTurn[], options: SkillsOptions, config: Partial<AgentConfig> = {}) {
  const model = scriptedModel(turns);
  return { model, agent: createAgent({ name: "bot", model, hooks: [skills(options)], ...config }) };
}

const offered = ({ tools }: ModelRequest): readonly string[] => tools.map(({ name }) => name).toSorted();
const systemOf = ({ messages }: ModelRequest): string =>
  messages[0]?.role === "system" ? textOf(messages[0]) : "";
const answersOf = async (agent: ReturnType<typeof agentOf>["agent"]) =>
  resultsOf(await agent.messages()).map(outputOf);
const skillOf = (name: string, fields: Partial<Skill> = {}): Skill => ({
  name,
  description: `How to do ${name}.`,
  body: `Do ${name}.`,
  ...fields,
});

describe("load_skill", () => {
  test("gives the instructions of a skill and its files, and notes in a slot what was loaded", async () => {
    const dir = temporaryFolder();
    writePlainSkill(dir, "invoices", "", "Read references/rates.md.");
    write(dir, "invoices/references/rates.md", "20 %");
    const { agent } = agentOf([load("invoices"), load("invoices", "references/rates.md"), "ok"], {
      dirs: [dir],
    });
    await agent.call("go");
    expect(await answersOf(agent)).toEqual([
      '<skill name="invoices">\nRead references/rates.md.\n</skill>',
      "20 %",
    ]);
    expect((await agent.slots.get(loadedSlot)).value).toEqual([{ name: "invoices", isNew: true }]);
  });

  test("names the skill that was probably meant, and loads nothing", async () => {
    const { agent } = agentOf([load("invoice"), load("x"), "ok"], {
      skills: [skillOf("invoices"), skillOf("mails")],
    });
    await agent.call("go");
    expect(await answersOf(agent)).toEqual([
      'Error: There is no skill "invoice". Did you mean invoices?',
      'Error: There is no skill "x". There are: invoices, mails.',
    ]);
    expect((await agent.slots.get(loadedSlot)).revision).toBe(0);
  });

  test.each([
    ["../secret.txt", "it leads out of the folder"],
    ["references/../../secret.txt", "it leads out of the folder"],
    ["/etc/passwd", "it leads out of the folder"],
    ["link.txt", "it leads out of the folder"],
    ["linked/secret.txt", "it leads out of the folder"],
    ["references", "it is not a file"],
    ["pipe", "it is not a file"],
    ["none.md", "there is no such file"],
    ["SKILL.md/x", "there is no such file"],
    ["a\0b", "it leads out of the folder"],
    ["image.png", "it is not a text file"],
    ["latin1.txt", "it is not a text file"],
  ])("does not read %j: %s", async (path, reason) => {
    const dir = temporaryFolder();
    writePlainSkill(dir, "s");
    write(dir, "secret.txt", "secret");
    write(dir, "s/references/a.md", "a");
    write(dir, "s/image.png", Buffer.from([0x89, 0x50, 0x00, 0x47]));
    write(dir, "s/latin1.txt", Buffer.from([0x67, 0x72, 0xf6]));
    execFileSync("mkfifo", [join(dir, "s/pipe")]);
    symlinkSync(join(dir, "secret.txt"), join(dir, "s/link.txt"));
    symlinkSync(dir, join(dir, "s/linked"));
    const { agent } = agentOf([load("s", path), "ok"], { dirs: [dir] });
    await agent.call("go");
    expect(await answersOf(agent)).toEqual([
      `Error: The file ${JSON.stringify(path)} of skill 's' is not read: ${reason}.`,
    ]);
  });

  test("gives the first 256 KB of a file of 100 MB, with a note", async () => {
    const dir = temporaryFolder();
    writePlainSkill(dir, "s");
    write(dir, "s/big.txt", "ä".repeat(200_000));
    truncateSync(join(dir, "s/big.txt"), 100 * 2 ** 20);
    const { agent } = agentOf(
      [load("s", "big.txt"), "ok"],
      { dirs: [dir] },
      { toolOptions: { results: false } },
    );
    await agent.call("go");
    const [text] = await answersOf(agent);
    expect(text).toBe(`${"ä".repeat(2 ** 17)}\n[These are the first 256 KB of ${100 * 2 ** 20} bytes.]`);
  });

  test("takes a SKILL.md of 100 MB as far as it is read", async () => {
    const dir = temporaryFolder();
    const body = "step ".repeat(100_000);
    write(dir, "s/SKILL.md", `---\nname: s\ndescription: D\n---\n${body}`);
    truncateSync(join(dir, "s/SKILL.md"), 100 * 2 ** 20);
    const { agent } = agentOf(
      [load("s"), "ok"],
      { dirs: [dir], loadTokens: 1_000 },
      { toolOptions: { results: false } },
    );
    await agent.call("go");
    const [text = ""] = await answersOf(agent);
    expect(text).toMatch(/^<skill name="s">\nstep step /);
    expect(text.length).toBeLessThan(10_000);
  });

  test("cuts instructions after loadTokens, and says where the rest is", async () => {
    const body = Array.from({ length: 3_000 }, (_, n) => `step ${n}`).join("\n");
    const { agent } = agentOf(
      [load("s"), load("s", "SKILL.md"), "ok"],
      { skills: [skillOf("s", { body })], loadTokens: 1_000 },
      { toolOptions: { results: false } },
    );
    await agent.call("go");
    const [text = "", whole] = await answersOf(agent);
    const [shown] = text.split("\n[Cut here; the whole text is the file SKILL.md of this skill.]");
    expect(countText(shown!)).toBeLessThan(1_000);
    expect(countText(shown!)).toBeGreaterThan(900);
    expect(whole).toBe(body);
  });

  test("reads the files that a program gives, and no inherited name", async () => {
    const skill = skillOf("s", { files: { "references/a.md": "A" } });
    const { agent } = agentOf([load("s", "./references/a.md"), load("s", "constructor"), "ok"], {
      skills: [skill],
    });
    await agent.call("go");
    expect(await answersOf(agent)).toEqual(["A", expect.stringContaining("there is no such file")]);
  });
});

describe("the system text", () => {
  test("ends with at most 2,000 tokens for 100 skills, with all names in order", async () => {
    const dir = temporaryFolder();
    const names = Array.from({ length: 100 }, (_, n) => `skill-${String(n).padStart(3, "0")}`);
    for (const name of names) writePlainSkill(dir, name, ` ${"It is for many kinds of work. ".repeat(30)}`);
    const { agent, model } = agentOf(["ok"], { dirs: [dir] }, { sysPrompt: "You are a clerk." });
    await agent.call("go");
    const system = systemOf(model.requests[0]!);
    expect(system).toMatch(/^You are a clerk\.\n\n<available_skills>\n/u);
    expect([...system.matchAll(/^- ([\w-]+): \w+.*…$/gmu)].map(([, name]) => name)).toEqual(names);
    expect(countText(system)).toBeLessThanOrEqual(2_010);
    expect(countText(system)).toBeGreaterThan(1_500);
  });

  test("lists names only, and then as many as fit, if there are too many skills", async () => {
    const many = Array.from({ length: 60 }, (_, n) => skillOf(`number-${100 + n}`));
    const { agent, model } = agentOf(["ok"], { skills: many, catalogueTokens: 200 });
    await agent.call("go");
    const system = systemOf(model.requests[0]!);
    const listed = system.match(/^- number-\d+$/gmu)!.length;
    expect(system).toContain(`There are ${60 - listed} more, whose names do not fit here.`);
    expect(countText(system)).toBeLessThanOrEqual(200);
  });

  test("follows the disk from the next turn on, and loads what the turn began with", async () => {
    const dir = temporaryFolder();
    writePlainSkill(dir, "a", "", "old");
    const change = toolOf("change", () => {
      writePlainSkill(dir, "a", "", "the new text");
      writePlainSkill(dir, "b");
      return "changed";
    });
    const turns = [calling("change"), load("a"), load("b"), "ok", load("a"), "ok", "ok"];
    const { agent, model } = agentOf(turns, { dirs: [dir] }, { tools: [change] });
    await agent.call("one");
    expect((await answersOf(agent)).slice(1)).toEqual([
      expect.stringContaining("old"),
      expect.stringContaining("no skill"),
    ]);
    expect(systemOf(model.requests[3]!)).toBe(systemOf(model.requests[0]!));
    await agent.call("two");
    expect((await answersOf(agent)).at(-1)).toContain("the new text");
    expect(systemOf(model.requests.at(-1)!)).toContain("- b: ");
    rmSync(join(dir, "a"), { recursive: true });
    writeFileSync(join(dir, "b/SKILL.md"), "broken");
    await agent.call("three");
    expect(systemOf(model.requests.at(-1)!)).toBe("");
    expect((await agent.slots.get(skillWarningsSlot)).value).toHaveLength(1);
  });
});

describe("tools of a skill", () => {
  const own = toolOf("pay", () => "paid");
  const options = { skills: [skillOf("payments", { tools: [own] })] };

  test("are offered once the skill is loaded, and refused before", async () => {
    const { agent, model } = agentOf([calling("pay"), load("payments"), calling("pay"), "ok"], options, {
      tools: [toolOf("look", () => "seen")],
    });
    await agent.call("go");
    expect(model.requests.map(offered)).toEqual([
      ["load_skill", "look"],
      ["load_skill", "look"],
      ["load_skill", "look", "pay"],
      ["load_skill", "look", "pay"],
    ]);
    expect((await answersOf(agent)).map((text) => text.split("\n")[0])).toEqual([
      "The tool 'pay' belongs to the skill 'payments': load the skill first.",
      '<skill name="payments">',
      "paid",
    ]);
  });

  test("are there for a later process, and not in a fork from before", async () => {
    const store = memoryStore();
    const first = agentOf([load("payments"), "ok"], options, { store, sessionId: "s" });
    await first.agent.call("go");
    await first.agent.close();
    const second = agentOf([calling("pay"), "ok"], options, { store, sessionId: "s" });
    await second.agent.call("pay");
    expect((await answersOf(second.agent)).at(-1)).toBe("paid");
    const other = agentOf([calling("pay"), "ok"], options);
    await other.agent.call("pay");
    expect((await answersOf(other.agent))[0]).toContain("load the skill first");
  });

  test("follow the permissions of the agent, whatever the skill allows", async () => {
    const skill = skillOf("payments", { tools: [own], allowedTools: ["pay"] });
    const { agent } = agentOf(
      [load("payments"), calling("pay"), "ok"],
      { skills: [skill] },
      { permissions: { rules: [{ tool: "pay", action: "deny" }] } },
    );
    await agent.call("go");
    const results = resultsOf(await agent.messages());
    expect(results.map(({ state }) => state)).toEqual(["success", "denied"]);
  });
});

describe("allowed-tools", () => {
  const tools = ["read", "write", "send"].map((name) => toolOf(name, () => `done: ${name}`));

  test("narrows what is offered until the turn ends, and denies the rest", async () => {
    const dir = temporaryFolder();
    writePlainSkill(dir, "careful", "\nallowed-tools: read Bash(git:*)");
    const turns = [load("careful"), calling("send"), "ok", calling("send"), "ok"];
    const { agent, model } = agentOf(turns, { dirs: [dir] }, { tools });
    await agent.call("one");
    await agent.call("two");
    expect(model.requests.map(offered)).toEqual([
      ["load_skill", "read", "send", "write"],
      ["load_skill", "read"],
      ["load_skill", "read"],
      ["load_skill", "read", "send", "write"],
      ["load_skill", "read", "send", "write"],
    ]);
    expect((await answersOf(agent)).slice(1)).toEqual([
      "In this turn the skills careful leave only these tools: read.",
      "done: send",
    ]);
  });

  test.each([
    ["two skills add up", [["read"], ["write", "send"]], ["load_skill", "read", "send", "write"]],
    ["one of two without it narrows nothing", [["read"], undefined], ["load_skill", "read", "send", "write"]],
    ["with no name that is there narrows nothing", [["Bash"]], ["load_skill", "read", "send", "write"]],
    ["cannot add a tool of an inactive group", [["read", "hidden"]], ["load_skill", "read"]],
  ] as const)("of %s", async (_, lists, expected) => {
    const all = lists.map((allowedTools, n) => skillOf(`s${n}`, allowedTools ? { allowedTools } : {}));
    const { agent, model } = agentOf(
      [...all.map(({ name }) => load(name)), "ok"],
      { skills: all },
      { tools },
    );
    agent.toolkit.addGroup({ name: "off", active: false });
    agent.toolkit.add(toolOf("hidden", () => "x", { groups: ["off"] }));
    await agent.call("go");
    expect(offered(model.requests.at(-1)!)).toEqual(expected);
  });
});

describe("after a compaction", () => {
  test("loaded instructions are shown again, newest first, within 10,000 tokens, and nothing of it is stored", async () => {
    const long = Array.from({ length: 2_000 }, (_, n) => `w${n}`).join(" ");
    const all = ["old", "mid", "new"].map((name) => skillOf(name, { body: `${name} ${long}` }));
    const turns = [...all.map(({ name }) => load(name)), "ok", "SUMMARY", "done", load("mid"), "again"];
    const { agent, model } = agentOf(
      turns,
      { skills: all },
      { compaction: { auto: false, keepRecentTokens: 10 }, toolOptions: { results: false } },
    );
    await agent.call("go");
    expect(textOf(model.requests.at(-1)!.messages.at(-1)!)).not.toContain("<loaded_skills>");
    await agent.compact();
    await agent.call("on");
    const shown = textOf(model.requests.at(-1)!.messages.at(-1)!);
    expect(shown).toMatch(/^<loaded_skills>\n/u);
    expect([...shown.matchAll(/<skill name="(\w+)">/gu)].map(([, name]) => name)).toEqual(["new", "mid"]);
    expect(countText(shown)).toBeLessThan(10_100);
    expect((await agent.messages()).map(textOf).join()).not.toContain("<loaded_skills>");
    await agent.call("mid again");
    const after = textOf(model.requests.at(-1)!.messages.at(-1)!);
    expect([...after.matchAll(/<skill name="(\w+)">/gu)].map(([, name]) => name)).toEqual(["new", "old"]);
  });
});
