// The command `dev`: page, API, inspector, and its failures.
import { readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readEvents } from "../server/read-events.ts";
import { devProject, wordsFile, type RunningDev } from "../support/dev-project.ts";
import { agentchart } from "./agentchart.ts";

// Every test starts processes, on machines that are busy with other tests.
const SOON = { interval: 50 };

const say = (dev: RunningDev, id: string, input: string) =>
  dev.request("POST", `/v1/sessions/${id}/messages`, { agent: "desk", input });
const statusOf = async (dev: RunningDev, id: string): Promise<unknown> =>
  dev.request("GET", `/v1/sessions/${id}`).then(
    ({ phase, inputs }) => (inputs === 0 ? phase : "waiting"),
    () => "none",
  );
async function reaches(dev: RunningDev, id: string, phase: string): Promise<void> {
  await expect.poll(() => statusOf(dev, id), SOON).toBe(phase);
}

/** What a session holds: the text of each message. */
async function textsIn(dev: RunningDev, id: string): Promise<readonly string[]> {
  const { messages } = (await dev.request("GET", `/v1/sessions/${id}/messages`)) as {
    readonly messages: readonly {
      readonly role: string;
      readonly content: readonly { readonly text?: string }[];
    }[];
  };
  return messages.map(({ role, content }) =>
    `${role} ${content.map(({ text = "" }) => text).join("")}`.trim(),
  );
}

async function approve(dev: RunningDev, id: string): Promise<void> {
  const { pending } = (await dev.request("GET", `/v1/sessions/${id}`)) as {
    readonly pending: readonly { readonly callId: string; readonly argsHash: string }[];
  };
  const [{ callId, argsHash }] = pending as [(typeof pending)[number]];
  await dev.request("POST", `/v1/sessions/${id}/decisions`, { callId, argsHash, decision: "approve" });
}

describe("agentchart dev", () => {
  test("serves the chat page, the API with the token of the link, and the inspector, and keeps all in a folder", async () => {
    const project = devProject();
    const dev = await project.dev();
    const { chat, inspector, token } = dev;
    expect([chat.hostname, inspector.hostname]).toEqual(["127.0.0.1", "127.0.0.1"]);
    expect(dev.output()).not.toContain("\u001b");
    expect(dev.output()).toContain("Agents of agents.ts: desk, clerk.");
    await say(dev, "a", "Hello");
    await reaches(dev, "a", "stopped");
    expect(await textsIn(dev, "a")).toEqual(["user Hello", "assistant One: Hello"]);

    const get = (path: string, headers: Record<string, string> = {}) =>
      fetch(new URL(path, chat.origin), { headers });
    expect((await get("/v1/sessions")).status).toBe(401);
    expect((await get("/dev/events", { Authorization: "Bearer wrong" })).status).toBe(401);
    const unknown = dev.request("POST", "/v1/sessions/b/messages", { agent: "other", input: "Hi" });
    await expect(unknown).rejects.toThrow("unknown agent; use desk, clerk");
    const runs = await fetch(new URL("/api/runs", inspector), {
      headers: { Authorization: `Bearer ${inspector.hash.slice(3)}` },
    });
    expect(await runs.json()).toMatchObject({ rows: [{ runId: "local/a", agent: "desk" }] });

    const folder = join(project.folder, ".agentchart");
    expect(readFileSync(join(folder, ".gitignore"), "utf8")).toBe("*\n");
    expect(statSync(join(folder, "token")).mode & 0o077).toBe(0);
    dev.child.kill("SIGINT");
    const { code, stdout, stderr } = await dev.finished;
    expect([code, stdout.split("\n").length]).toEqual([0, 4]);
    expect(stderr).not.toContain(token);
    const again = await project.dev();
    expect(again.token).toBe(token);
    expect(await textsIn(again, "a")).toHaveLength(2);
  });

  test("loads the agents again when a file changes that they import, and keeps the old ones if that fails", async () => {
    const project = devProject();
    project.write("prompt.md", "Be brief.");
    const dev = await project.dev("--watch", "prompt.md");
    const answers = async (text: string): Promise<unknown> => {
      await say(dev, "a", text);
      await expect
        .poll(async () => (await textsIn(dev, "a").catch(() => [])).at(-2), SOON)
        .toBe(`user ${text}`);
      await reaches(dev, "a", "stopped");
      return (await textsIn(dev, "a")).at(-1);
    };
    expect(await answers("1")).toBe("assistant One: 1");
    project.write("words.ts", wordsFile("Two"));
    await dev.printed("words.ts changed: loaded desk, clerk again.");
    expect(await answers("2")).toBe("assistant Two: 2");

    project.write("words.ts", `${wordsFile("Three")}\nexport const b = ;\n`);
    await dev.printed("words.ts:3 does not compile: Expression expected. The agents before it go on.");
    expect(await answers("3")).toBe("assistant Two: 3");
    project.write("words.ts", `${wordsFile("Three")}throw new Error("No database.");\n`);
    await dev.printed("words.ts:2 failed while it was loaded: No database. The agents before it go on.");
    project.write("words.ts", 'export { word } from "./more-words.ts";\n');
    await dev.printed("agents.ts imports a file that does not exist");
    expect(await answers("4")).toBe("assistant Two: 4");
    project.write("more-words.ts", wordsFile("Four"));
    await dev.printed("more-words.ts changed: loaded desk, clerk again.");
    expect(await answers("5")).toBe("assistant Four: 5");

    project.write("prompt.md", "Be long.");
    await dev.printed("prompt.md changed: loaded desk, clerk again.");
  });

  test("says at once that an agent cannot be made, in the terminal and to the page, until it is mended", async () => {
    const project = devProject();
    const text = readFileSync(join(project.folder, "agents.ts"), "utf8");
    const broken = text.replace(
      'clerk: make("clerk")',
      'clerk: () => ({ ...make("clerk")(), maxIteration: 3 })',
    );
    project.write("agents.ts", broken);
    const dev = await project.dev();
    await dev.printed("The agent 'clerk' cannot be made: ");
    const headers = { Authorization: `Bearer ${dev.token}` };
    const told = async (): Promise<string> => {
      const response = await fetch(new URL("/dev/events", dev.chat.origin), { headers });
      const texts = response.body!.pipeThrough(new TextDecoderStream()).values();
      let heard = "";
      while (!heard.includes('"reloads"')) heard += (await texts.next()).value ?? "";
      await texts.return?.();
      return heard;
    };
    expect(await told()).toMatch(/"problem":"The agent 'clerk' cannot be made: .*maxIteration/);
    await say(dev, "a", "Hello"); // the others work
    await reaches(dev, "a", "stopped");
    expect(await textsIn(dev, "a")).toEqual(["user Hello", "assistant One: Hello"]);
    project.write("agents.ts", text);
    await dev.printed("agents.ts changed: loaded desk, clerk again.");
    expect(await told()).not.toContain("problem");
  });

  test("hands a turn that runs over to the new agents after its step, once", async () => {
    const project = devProject();
    const dev = await project.dev("--drain-ms", "60000");
    await say(dev, "a", "Wait.");
    await reaches(dev, "a", "running");
    project.write("words.ts", wordsFile("Two"));
    await dev.printed("words.ts changed: loaded desk, clerk again.");
    await say(dev, "b", "Hello"); // the new agents are not held up
    await reaches(dev, "b", "stopped");
    expect((await textsIn(dev, "b")).at(-1)).toBe("assistant Two: Hello");
    expect(project.done()).toEqual([]);
    project.write("go", "");
    await reaches(dev, "a", "stopped");
    expect(await textsIn(dev, "a")).toEqual([
      "user Wait.",
      "assistant One: Wait.",
      "tool",
      "assistant Two: waited",
    ]);
    expect(project.done()).toEqual(["waited"]);
  });

  test("lets a call wait for its approval while the agents change, and while the command is started again", async () => {
    const project = devProject();
    const dev = await project.dev();
    for (const id of ["a", "b"]) {
      await say(dev, id, "Pay.");
      await reaches(dev, id, "suspended");
    }
    project.write("words.ts", wordsFile("Two"));
    await dev.printed("words.ts changed: loaded desk, clerk again.");
    await approve(dev, "a");
    await reaches(dev, "a", "stopped");
    expect((await textsIn(dev, "a")).at(-1)).toBe("assistant Two: paid 7");
    dev.child.kill("SIGTERM");
    expect((await dev.finished).code).toBe(0);
    const again = await project.dev();
    await approve(again, "b");
    await reaches(again, "b", "stopped");
    expect(project.done()).toEqual(["paid 7", "paid 7"]);
  });

  test("saves a turn that runs at Ctrl-C, and goes on with it when it is started again", async () => {
    const project = devProject();
    const dev = await project.dev();
    await say(dev, "a", "Wait.");
    await reaches(dev, "a", "running");
    dev.child.kill("SIGINT");
    await dev.printed("Saving what runs.");
    project.write("go", "");
    expect((await dev.finished).code).toBe(0);
    expect(project.done()).toEqual(["waited"]);
    const again = await project.dev();
    await reaches(again, "a", "stopped");
    expect((await textsIn(again, "a")).at(-1)).toBe("assistant One: waited");
    expect(project.done()).toEqual(["waited"]);
  });

  test("says where agents have crashed, and loads them again", async () => {
    const project = devProject();
    const dev = await project.dev();
    await say(dev, "a", "Crash.");
    await dev.printed("The agents have ended: It broke.");
    expect(dev.output()).toMatch(/It broke\. \(\S+agents\.ts:\d+\)\. They are loaded again\./);
    await dev.printed("Loaded desk, clerk again.");
    await say(dev, "b", "Hello");
    await reaches(dev, "b", "stopped");
    await say(dev, "c", "Fail.");
    await dev.printed("The model is out of order.");
  });

  test("streams an answer as it is written", async () => {
    const project = devProject();
    const dev = await project.dev();
    await say(dev, "a", "Halves.");
    let text = "";
    let isHeld = true;
    await readEvents(new URL("/v1/sessions/a/events", dev.chat.origin).href, {
      token: dev.token,
      until: (frames) => {
        text = frames.map(({ event }) => (event?.type === "block.delta" ? event.delta : "")).join("");
        if (text.endsWith("first half,") && isHeld) {
          isHeld = false;
          project.write("go", "");
        }
        return frames.some(({ event }) => event?.type === "turn.end");
      },
    });
    expect([text, isHeld]).toEqual([
      expect.stringMatching(/^(Let me see\.)?One first half, second half\.$/),
      false,
    ]);
  });

  test("tells pages what it runs, and what is wrong with the newest agents", async () => {
    const project = devProject();
    const dev = await project.dev();
    const response = await fetch(new URL("/dev/events", dev.chat.origin), {
      headers: { Authorization: `Bearer ${dev.token}` },
    });
    const texts = response.body!.pipeThrough(new TextDecoderStream()).values();
    let heard = "";
    const hears = async (text: string): Promise<void> => {
      while (!heard.includes(text)) heard += (await texts.next()).value ?? "";
    };
    await hears('"agents":["desk","clerk"]');
    await hears('"reloads":0');
    project.write("words.ts", "export const = 1;\n");
    await hears('"problem":"words.ts:1 does not compile');
    project.write("words.ts", wordsFile("Two"));
    await hears('"reloads":1}');
    await texts.return?.();
  });
});

describe("agentchart dev fails in one line", () => {
  const failing = async (project: { readonly folder: string }, ...flags: readonly string[]) => {
    const port = flags.includes("--port") ? [] : ["--port", "0"];
    const args = ["dev", "--agents", "agents.ts", ...port, ...flags];
    const { code, stderr } = await agentchart(args, { cwd: project.folder, env: { HOME: project.folder } });
    return [code, stderr] as const;
  };
  const line = (text: string) => expect.stringMatching(new RegExp(`^agentchart: ${text}\\n$`)) as never;

  test("for agents that cannot be loaded", async () => {
    const project = devProject();
    project.write("agents.ts", "export const a = 1;\n");
    expect(await failing(project)).toEqual([
      1,
      line('agents\\.ts exports no agents: use "export default .*'),
    ]);
    project.write("agents.ts", "export default { desk: 1 };\n");
    expect(await failing(project)).toEqual([1, line('"desk" in agents\\.ts is not a function .*')]);
    project.write("agents.ts", "export default {;\n");
    expect(await failing(project)).toEqual([1, line("agents\\.ts:1 does not compile: .*")]);
    rmSync(join(project.folder, "agents.ts"));
    expect(await failing(project)).toEqual([1, line("The agents file \\S+ does not exist\\.")]);
  });

  test("for a wrong command line, a wrong store and a port that is taken", async () => {
    const project = devProject();
    const missing = await agentchart(["dev"], { cwd: project.folder });
    expect([missing.code, missing.stderr]).toEqual([2, line(".*--agents <FILE>.*")]);
    expect(await failing(project, "--drain-m", "1")).toEqual([2, line(".*Did you mean '--drain-ms'.*")]);
    expect(await failing(project, "--store", "memory")).toEqual([2, line('Unknown store "memory": .*')]);
    const dev = await project.dev();
    expect(await failing(project, "--port", dev.chat.port)).toEqual([
      1,
      line(`Another program listens on 127\\.0\\.0\\.1:${dev.chat.port}: choose another port\\.`),
    ]);
  });
});
