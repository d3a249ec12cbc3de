// The command `doctor`: each check, and what to do about it.
import { setTimeout as sleep } from "node:timers/promises";
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import packageJson from "agentchart/package.json" with { type: "json" };
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { createAgent } from "agentchart";
import { chatCompletionsServer, scriptedModel } from "agentchart/testing";
import {
  agentsCheck,
  doctorCommand,
  nodeFinding,
  queueCheck,
  sandboxCheck,
  portCheck,
} from "../../src/cli/doctor/doctor-command.ts";
import { runCheck, type Asked, type Check } from "../../src/cli/doctor/check.ts";
import { modelCheck } from "../../src/cli/doctor/model-check.ts";
import { packageFinding, packagesFor, USES, versionFrom } from "../../src/cli/doctor/package-check.ts";
import { clockFinding, storeCheck, tablesFinding } from "../../src/cli/doctor/store-check.ts";
import { tokenFindings } from "../../src/cli/doctor/token-check.ts";
import { openTerminal } from "../../src/cli/terminal.ts";
import { UsageError } from "../../src/cli/usage-error.ts";
import { sqliteStore } from "../../src/store/sqlite.ts";
import { scratch } from "../store/scratch.ts";
import { NO_BUBBLEWRAP } from "../support/bubblewrap.ts";
import { freePort } from "../support/free-port.ts";

const { dir, remove } = scratch();
afterAll(remove);

type Flags = Partial<Asked["flags"]>;

const asked = (flags: Flags, env: Asked["env"] = {}): Asked => ({
  flags: {
    online: false,
    port: [],
    sandbox: false,
    timeLimit: 20_000,
    json: false,
    ...flags,
  } as Asked["flags"],
  env,
});

/** The findings of a check, as "state: text". */
async function found({ run }: Check, flags: Flags, env: Asked["env"] = {}): Promise<readonly string[]> {
  const findings = await run(asked(flags, env), new AbortController().signal);
  return findings.map(({ state, text }) => `${state}: ${text}`);
}

/** Runs the command outside a terminal. */
async function doctor(flags: Flags, env: Asked["env"] = {}) {
  let stdout = "";
  const out = { write: (text: string) => void (stdout += text) };
  const terminal = openTerminal(out, { write: () => {} }, {});
  const code = await doctorCommand(
    { args: {}, flags: asked(flags).flags },
    { stdout: out, terminal, env, exit: () => {} },
  );
  return { code, stdout };
}

function file(name: string, text: string): string {
  const path = join(dir, name);
  writeFileSync(path, text);
  return path;
}

const AGENTS = file(
  "agents.ts",
  `import { scriptedModel } from "agentchart/testing";
   export default {
     desk: () => ({ name: "desk", model: scriptedModel(["OK"]) }),
     shop: () => ({ name: "shop", instructions: "sell" }),
   };`,
);

describe("node", () => {
  test.each([
    ["24.1.0", "ok"],
    ["22.17.9", "wrong"],
  ])("%s is %s", (node, state) => {
    const finding = nodeFinding({ versions: { ...process.versions, node }, execPath: "/bin/node" });
    expect(finding).toMatchObject({ state, text: expect.stringContaining(node) as string });
  });
});

describe("model", () => {
  test("a missing key is said with the variables that hold one", async () => {
    const [line] = await found(modelCheck, {});
    expect(line).toMatch(/^missing: No model is configured: set OPENAI_API_KEY or DASHSCOPE_API_KEY/);
  });

  test.each([
    ['"sk-abc"', "is in quotes"],
    ["'sk-abc'", "is in quotes"],
    ["Bearer sk-abc", "begins with `Bearer`"],
    ["sk-… ", "has a character that no key has"],
    ["sk-абв", "has a character that no key has"],
    ["sk-abc\nsk-def", "has a character that no key has"],
    ["my key", "has a character that no key has"],
    ["sk-\u0000abc", "has a character that no key has"],
    ["sk-\u200babc", "has a character that no key has"],
  ])("the key %j is not a key, which is said without it, and nothing is asked", async (key, problem) => {
    const flags = { model: "m", baseUrl: "http://127.0.0.1:9/v1" };
    const [line] = await found(modelCheck, flags, { OPENAI_API_KEY: key });
    expect(line).toMatch(/^missing: openaiModel: `apiKey` /);
    expect(line).toContain(problem);
    expect(line).not.toContain(key.trim());
  });

  test("a server is connected to, and asked only with --online", async () => {
    const server = await chatCompletionsServer(({ messages }) => ({ content: `${messages.length}` }));
    onTestFinished(() => server.close());
    const flags = { baseUrl: server.baseURL, model: "m" };
    const env = { OPENAI_API_KEY: "sk-very-secret" };
    expect(await found(modelCheck, flags, env)).toEqual([
      expect.stringMatching(
        /^ok: m at 127\.0\.0\.1:\d+, with a key that is set: the server takes connections/,
      ),
    ]);
    expect(server.requests).toHaveLength(0);
    expect(await found(modelCheck, { ...flags, online: true }, env)).toEqual([
      expect.stringMatching(/^ok: .*m.* has answered$/),
    ]);
    expect(server.requests).toHaveLength(1);
  });

  test("a server of the environment without a default model is missing, and wrong usage if a flag names it", async () => {
    const baseUrl = "http://127.0.0.1:9/v1";
    const text = "The server 127.0.0.1:9 has no default model: name one with --model.";
    expect(await found(modelCheck, {}, { OPENAI_BASE_URL: baseUrl })).toEqual([`missing: ${text}`]);
    await expect(found(modelCheck, { baseUrl })).rejects.toThrow(text);
  });

  test("a server that is not there is wrong", async () => {
    const baseUrl = `http://127.0.0.1:${await freePort()}/v1`;
    expect(await found(modelCheck, { baseUrl, model: "m" })).toEqual([
      expect.stringMatching(/^wrong: m at .*, without a key: no connection \(.*ECONNREFUSED/),
    ]);
  });

  test("an AI SDK model without its package is missing, with the command that installs it", async () => {
    expect(await found(modelCheck, { model: "cohere/command" })).toEqual([
      expect.stringMatching(/^missing: .*npm install @ai-sdk\/cohere/),
    ]);
  });
});

describe("agents", () => {
  test("each agent of the file is made, and with --online its model is asked", async () => {
    const [desk, model, shop] = await found(agentsCheck, { agents: AGENTS, online: true });
    expect(desk).toBe("ok: 'desk' can be made");
    expect(model).toMatch(/^ok: .* \(that of 'desk'\) has answered$/);
    expect(shop).toMatch(/^wrong: 'shop' cannot be made: .*`instructions`/);
  });
});

describe("store", () => {
  test("what is not there is not made", async () => {
    const path = join(dir, "none", "sessions.db");
    expect(await found(storeCheck, { store: `sqlite:${path}` })).toEqual([
      `ok: ${path} is not there yet; it is made when it is first used`,
    ]);
    expect(existsSync(join(dir, "none"))).toBe(false);
  });

  test.each([
    ["sqlite:FILE/sessions.db", /^missing: .*sessions\.db is not there, and .*plain\.txt is a file/],
    ["file:FILE/sessions", /^missing: .*sessions is not there, and .*plain\.txt is a file/],
    ["file:FILE", /^wrong: file:.*plain\.txt: .*/],
    ["sqlite:FILE", /^wrong: sqlite:.*: The file is not a SQLite database/],
    ["sqlite:FOLDER", /^wrong: .* is a folder, and a SQLite store is a file/],
  ])("a store of %s is refused, and nothing is made", async (spec, expected) => {
    const plain = join(dir, "plain.txt");
    writeFileSync(plain, "This is a text and no database.");
    const store = spec.replace("FILE", plain).replace("FOLDER", dir);
    const before = readdirSync(dir);
    const [line] = await found(storeCheck, { store });
    expect(line).toMatch(expected);
    expect(readdirSync(dir)).toEqual(before);
  });

  test.each(["file", "sqlite"] as const)("a %s store takes a write, and stays as it was", async (kind) => {
    const path = join(dir, `kept-${kind}`);
    const spec = `${kind}:${path}`;
    const { openStore } = await import("../../src/cli/open-store.ts");
    const store = await openStore(spec);
    const agent = createAgent({ name: "a", model: scriptedModel(["Hi."]), store, sessionId: "s" });
    await agent.call("Hello");
    await agent.close();
    const before = await store.list();
    expect(await found(storeCheck, { store: spec })).toEqual([
      `ok: ${spec}: it opens, and takes a write`,
      expect.stringMatching(/^ok: within [\d.]+ s of that of the store$/),
      "ok: 1, and each can be opened",
    ]);
    expect(await store.list()).toEqual(before);
    await store.close();
  });

  test("sessions that are damaged, and those that stopped in the middle of a turn, are named", async () => {
    const spec = `sqlite:${join(dir, "bad.db")}`;
    const store = sqliteStore({ path: join(dir, "bad.db") });
    for (const [sessionId, phase] of [
      ["left", "running"],
      ["out", "quarantined"],
    ] as const) {
      const lease = await store.acquire(sessionId, { owner: "gone", ttlMs: 60_000 });
      await store.append(sessionId, {
        expectedSeq: 0,
        fence: lease!.fence,
        entries: [{ seq: 1, at: 0, type: "turn.start", data: {} }],
        position: { phase },
      });
      await store.release(lease!);
    }
    await store.close();
    const [, , bad, left] = await found(storeCheck, { store: spec });
    expect(bad).toBe(`wrong: 1 of 2 cannot go on, out: agentchart sessions show out --store ${spec}`);
    expect(left).toMatch(
      /^wrong: 1 of 2 stopped in the middle of a turn.* left: agentchart sessions resume left/,
    );
  });

  test("a file of an older release is not migrated", async () => {
    const path = join(dir, "old.db");
    cpSync("test/fixtures/sessions/0.1.0/sessions.sqlite", path);
    const before = readFileSync(path);
    const [line] = await found(storeCheck, { store: `sqlite:${path}` });
    expect(line).toMatch(
      /^ok: .* an older release made its tables \(version \d+\)\. They become version \d+/,
    );
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test("a newer release and a file that is not a database are wrong, an unknown store is wrong usage", async () => {
    expect(tablesFinding({ found: 9, newest: 5 })).toMatchObject({ state: "wrong" });
    const path = file("text.db", "This is not a database, but a text that is long enough to be looked at.");
    expect(await found(storeCheck, { store: `sqlite:${path}` })).toEqual([
      expect.stringMatching(/^wrong: .*not a SQLite database/),
    ]);
    await expect(found(storeCheck, { store: "redis://x" })).rejects.toThrow(UsageError);
  });

  test.each([
    [1_000, "ok", "within 1 s"],
    [65_000, "wrong", "65 s behind"],
    [-65_000, "wrong", "65 s ahead of"],
  ])("a store whose clock is %i ms ahead is %s", (aheadMs, state, text) => {
    expect(clockFinding(aheadMs)).toMatchObject({ state, text: expect.stringContaining(text) as string });
  });
});

test("a queue in the process is ok, and a Redis that is not there is wrong at once", async () => {
  expect(await found(queueCheck, {})).toEqual([]);
  expect(await found(queueCheck, { queue: "memory" })).toEqual(["ok: in the process of a worker"]);
  const queue = `redis://:secret@127.0.0.1:${await freePort()}`;
  expect(await found(queueCheck, { queue })).toEqual([
    expect.stringMatching(/^wrong: no connection \(.*ECONNREFUSED.*\): is Redis running there\?$/),
  ]);
});

test("a port is free, or another program listens there", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const taken = `${(server.address() as AddressInfo).port}`;
  const free = `${await freePort()}`;
  expect(await found(portCheck, { port: [free, taken] })).toEqual([
    `ok: ${free} is free`,
    `wrong: Another program listens on 127.0.0.1:${taken}: choose another port.`,
  ]);
});

describe("packages", () => {
  test("each optional package has a use, and the version that is installed is found", () => {
    expect(Object.keys(USES)).toEqual(Object.keys(packageJson.peerDependenciesMeta));
    expect(versionFrom("pg", import.meta.url)).toBe(packageJson.devDependencies.pg);
    expect(versionFrom("no-such-package", import.meta.url)).toBeUndefined();
  });

  test.each([
    ["8.16.1", "ok", "pg 8.16.1"],
    ["7.18.0", "wrong", "pg 7.18.0, for stores, queues and knowledge in Postgres, must be ^8.16.0"],
    [undefined, "missing", "is not installed: npm install 'pg@^8.16.0'"],
  ])("pg %s is %s", (version, state, text) => {
    const finding = packageFinding("pg", "^8.16.0", version, true);
    expect(finding).toMatchObject({ state, text: expect.stringContaining(text) as string });
  });

  test.each([
    [undefined, undefined, []],
    ["postgres://h/d", undefined, ["pg"]],
    ["sqlite:a.db", "redis://h", ["bullmq", "ioredis"]],
    ["sqlite:a.db", "postgres://h/d", ["pg", "bullmq"]],
  ])("%s and %s need %j", (store, queue, needed) => {
    expect(packagesFor(store, queue)).toEqual(needed);
  });
});

test.skipIf(NO_BUBBLEWRAP)("a sandbox is made where bubblewrap is", async () => {
  expect(await found(sandboxCheck, {})).toEqual([
    "ok: bubblewrap makes sandboxes for commands of workspaces",
  ]);
});

test("a token that others can read, and a folder that they can change, are wrong", async () => {
  const [home, project] = [join(dir, "home"), join(dir, "project")];
  for (const folder of [home, project])
    mkdirSync(join(folder, ".agentchart"), { recursive: true, mode: 0o700 });
  const token = join(project, ".agentchart", "token");
  writeFileSync(token, "t", { mode: 0o600 });
  expect(await tokenFindings(home, project)).toMatchObject([{ state: "ok" }]);
  chmodSync(token, 0o644);
  chmodSync(join(home, ".agentchart"), 0o777);
  const texts = (await tokenFindings(home, project)).map(({ state, text }) => `${state} ${text}`);
  expect(texts).toEqual([
    expect.stringMatching(`wrong .*: chmod 600 ${token}`),
    expect.stringMatching(`wrong .*: chmod 700 ${join(home, ".agentchart")}`),
  ]);
});

describe("the command", () => {
  const STORE = { store: `file:${join(dir, "new")}` };

  test("exits with 1 for an agent that cannot be made, and prints a line for each check", async () => {
    const { code, stdout } = await doctor({ ...STORE, agents: AGENTS });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^ok {7}node {6}\d/);
    expect(stdout).toMatch(/\nwrong {4}agents {4}'shop' cannot be made/);
    expect(stdout).not.toContain("\u001B");
  });

  test("exits with 0 if only what nobody asked for is missing, and prints JSON", async () => {
    const agents = file(
      "good.ts",
      `export default { a: () => ({ name: "a", model: { name: "m", async *stream() {} } }) };`,
    );
    const { code, stdout } = await doctor({ ...STORE, agents, json: true });
    expect(code).toBe(0);
    const findings = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { readonly check: string });
    expect(new Set(findings.map(({ check }) => check))).toEqual(
      new Set(["node", "agents", "store", "port", "package", "sandbox", "tokens"]),
    );
  });

  test("prints no key and no password", async () => {
    const env = { OPENAI_API_KEY: "sk-very-secret", DATABASE_URL: "postgres://me:pass-word@127.0.0.1:1/d" };
    const { code, stdout } = await doctor({ baseUrl: "http://127.0.0.1:1/v1", model: "m" }, env);
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /\nwrong {4}store .*me:\[redacted\]@.*Postgres could not be reached \(ECONNREFUSED [\d.]+:\d+\)/,
    );
    expect(stdout).not.toMatch(/very-secret|pass-word/);
  });

  test("a check ends with its time, with its interruption and with its error", async () => {
    const check = (run: Check["run"]): Check => ({ name: "x", run });
    const never = check(async () => new Promise(() => {}));
    const { signal } = new AbortController();
    expect(await runCheck(never, asked({}), 1, signal)).toMatchObject([
      { state: "wrong", text: "no answer within 0.001 s (--time-limit)" },
    ]);
    const slow: Check = { name: "slow", run: async () => (await sleep(20), []) };
    expect(await runCheck(slow, asked({}), 30 * 86_400_000, signal)).toEqual([]);
    expect(await runCheck(never, asked({}), 60_000, AbortSignal.abort())).toMatchObject([
      { text: "was interrupted" },
    ]);
    const failing = check(async () => Promise.reject(new Error("no luck")));
    expect(await runCheck(failing, asked({}), 60_000, signal)).toMatchObject([
      { state: "wrong", text: "no luck" },
    ]);
  });
});
