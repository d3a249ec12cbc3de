// An installation of the packed package works, and loads no more than it may.
import { execFile, execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { chatCompletionsServer } from "agentchart/testing";
import { start, type Started } from "../cli/agentchart.ts";
import { BARE_ENV } from "../support/bare-env.ts";
import { runInWebContext } from "../support/web-context.ts";
import { ROOT } from "./source-files.ts";

const run = promisify(execFile);

let folder: string;
let tarball: string;
let main: string;

/** Packs the package as it is built and installs it in a folder of its own, as a user does. */
beforeAll(() => {
  if (!existsSync(join(ROOT, "THIRD-PARTY-NOTICES"))) throw new Error('Run "npm run build" first.');
  folder = mkdtempSync(join(tmpdir(), "agentchart-packed-"));
  const npm = (cwd: string, ...args: readonly string[]): string =>
    execFileSync("npm", [...args, "--ignore-scripts", "--silent"], { cwd, encoding: "utf8" });
  tarball = npm(ROOT, "pack", "--pack-destination", folder).trim();
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  npm(folder, "install", "--no-audit", "--no-fund", "--prefer-offline", `./${tarball}`);
  main = join(folder, "node_modules/agentchart/dist/cli/main.mjs");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a module in the folder. Resolves to what it prints; rejects with its errors if it fails. */
async function runModule(code: string, node: readonly string[] = []): Promise<string> {
  const { stdout } = await run(process.execPath, [...node, "--input-type=module", "--eval", code], {
    cwd: folder,
    env: BARE_ENV,
  });
  return stdout.trim();
}

/** Starts the installed command; it ends with the test. */
function startCommand(...args: readonly string[]): Started {
  const started = start(args, { installed: main, cwd: folder, env: { HOME: folder } });
  onTestFinished(() => void started.child.kill("SIGKILL"));
  return started;
}

const ONE_ANSWER = `
  import { createAgent } from "agentchart";
  import { scriptedModel } from "agentchart/testing";
  const agent = createAgent({ name: "a", model: scriptedModel(["four words are here"]) });
  const { text, usage } = await agent.call("hi");
  console.log(JSON.stringify({ text, outputTokens: usage.outputTokens }));
`;
const ANSWERED = { text: "four words are here", outputTokens: 4 };

const OLD_NODE = 'data:text/javascript,Object.defineProperty(process,"versions",{value:{node:"20.1.0"}})';

describe("an installation of the package", () => {
  test("holds four packages, with the notices of those that are bundled", () => {
    const folders = readdirSync(join(folder, "node_modules")).filter((name) => !name.startsWith("."));
    expect(folders).toEqual(["@cfworker", "agentchart", "xstate", "zod"]);
    expect(existsSync(join(folder, "node_modules/agentchart/THIRD-PARTY-NOTICES"))).toBe(true);
  });

  test("loads no bundled package and no inspector with the agent", async () => {
    const script = join(ROOT, "test/support/loaded-modules.mjs");
    cpSync(script, join(folder, "loaded-modules.mjs"));
    const { stdout } = await run(process.execPath, ["loaded-modules.mjs", "agentchart"], { cwd: folder });
    const urls = (JSON.parse(stdout) as readonly string[]).filter((url) => url.startsWith("file:"));
    const packages = urls.map((url) => /\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1]);
    expect(new Set(packages)).toEqual(new Set(["agentchart", "@cfworker/json-schema", "xstate"]));
    expect(
      urls.filter((url) => /\/dist\/(?:vendor|inspect|openai|server|worker|cli|store)\//.test(url)),
    ).toEqual([]);
    const bytes = urls
      .filter((url) => url.includes("/agentchart/"))
      .map((url) => readFileSync(new URL(url)).length);
    expect(bytes.reduce((sum, size) => sum + size)).toBeLessThan(690_000);
  });

  test("answers, and counts tokens", async () => {
    expect(JSON.parse(await runModule(ONE_ANSWER))).toEqual(ANSWERED);
  });

  test("answers, and counts tokens, as a bundle of esbuild in a folder without packages", async () => {
    const elsewhere = mkdtempSync(join(tmpdir(), "agentchart-bundle-"));
    const outfile = join(elsewhere, "bundle.mjs");
    const { warnings } = await build({
      stdin: { contents: ONE_ANSWER, resolveDir: folder },
      outfile,
      bundle: true,
      platform: "node",
      format: "esm",
      logLevel: "silent",
    });
    expect(warnings).toEqual([]);
    const { stdout } = await run(process.execPath, [outfile], { cwd: elsewhere, env: BARE_ENV });
    expect(JSON.parse(stdout)).toEqual(ANSWERED);
  });

  test.each(["browser", "neutral"] as const)(
    "answers after an approval in another agent, as a bundle for the platform %s without Node.js",
    async (platform) => {
      const { outputFiles, metafile } = await build({
        stdin: {
          contents: readFileSync(join(ROOT, "examples/guide/browser.ts"), "utf8"),
          resolveDir: folder,
          loader: "ts",
        },
        bundle: true,
        write: false,
        metafile: true,
        platform,
        mainFields: ["module", "main"],
        format: "esm",
        external: ["agentchart/inspect"],
        logLevel: "silent",
      });
      expect(await runInWebContext(outputFiles[0]!.text)).toEqual([
        "APPROVAL_REQUIRED",
        "MODEL_STOP Done: order 17 is refunded.",
      ]);
      const hasTokenizer = Object.keys(metafile.inputs).some((path) =>
        /^(?!\(disabled\)).*gpt-tokenizer\.cjs$/.test(path),
      );
      expect(hasTokenizer).toBe(platform === "neutral");
    },
  );

  test("gives a page the observer of its actors, which needs nothing of Node.js", async () => {
    const { warnings } = await build({
      stdin: { contents: 'export { inspector } from "agentchart/inspect/browser";', resolveDir: folder },
      bundle: true,
      write: false,
      platform: "browser", // fails at an import of Node.js
      format: "esm",
      logLevel: "silent",
    });
    expect(warnings).toEqual([]);
  });

  test("gives a page `useAgent`, which is for the client and needs nothing but React", async () => {
    const { outputFiles, warnings } = await build({
      stdin: { contents: 'export { useAgent } from "agentchart/react";', resolveDir: folder },
      bundle: true,
      write: false,
      platform: "browser",
      format: "esm",
      external: ["react"],
      logLevel: "silent",
    });
    expect(warnings).toEqual([]);
    const imported = [...outputFiles[0]!.text.matchAll(/^import .* from "(.+)";$/gm)].map(([, name]) => name);
    expect(imported).toEqual(["react"]);
    expect(outputFiles[0]!.contents.length).toBeLessThan(60_000);
    const entry = join(folder, "node_modules/agentchart/dist/react/index.mjs");
    expect(readFileSync(entry, "utf8")).toMatch(/^"use client";\n/u);
  });

  test("names the tokenizer and the command if the tokenizer is missing", async () => {
    const hooks = `data:text/javascript,import { registerHooks } from "node:module"; registerHooks({ resolve(to, context, next) {
      if (to.includes("gpt-tokenizer")) throw Object.assign(new Error("Cannot find module"), { code: "MODULE_NOT_FOUND" });
      return next(to, context);
    } });`;
    const code = ONE_ANSWER.replace("await agent.call", "await report(agent.call").replace('"hi")', '"hi"))');
    const report =
      "const report = (call) => call.catch(({ code, message }) => { console.log(code, message); process.exit(); });";
    expect(
      await runModule(code.replace("const agent", `${report} const agent`), ["--import", hooks]),
    ).toMatch(/^config\/invalid .*gpt-tokenizer.*npm install agentchart$/);
  });

  test.each([
    [
      "pg",
      'const { postgresStore } = await import("agentchart/store/postgres"); await postgresStore({ connectionString: "postgres://x" }).load("s")',
    ],
    [
      "pg",
      'const { bullQueue } = await import("agentchart/worker"); await bullQueue({ postgres: "postgres://x" }).stats()',
    ],
    [
      "ioredis",
      'const { bullQueue } = await import("agentchart/worker"); await bullQueue({ redis: "redis://x" }).stats()',
    ],
    [
      "openai",
      'const { openaiModel } = await import("agentchart/openai"); const { createAgent } = await import("agentchart"); await createAgent({ name: "a", model: openaiModel({ model: "m", apiKey: "k", transport: "openai" }) }).call("hi")',
    ],
  ])("names the optional package %s and the command if it is missing", async (name, code) => {
    const caught = `try { ${code} } catch ({ code, message }) { console.log(code, message) }`;
    expect(await runModule(caught)).toMatch(
      new RegExp(`^config/invalid .+ needs the package ${name}: npm install ${name}$`),
    );
  });

  test("has types that need no other package, but those of its peers", async () => {
    linkPeers();
    const { exports } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { exports: object };
    const entries = Object.keys(exports).filter((subpath) => subpath !== "./package.json");
    const lines = entries.map(
      (subpath, index) => `export * as e${index} from "agentchart${subpath.slice(1)}";`,
    );
    const use = `import { createServer, serve } from "agentchart/server";
      export const listen = () => serve(createServer({ dispatcher: null!, store: null!, tokens: "none" }));`;
    writeFileSync(join(folder, "types.ts"), [...lines, use].join("\n"));
    const types = join(ROOT, "node_modules/@types");
    const compilerOptions = {
      ...{ target: "es2023", module: "nodenext", lib: ["es2024"], strict: true, noEmit: true },
      ...{ skipLibCheck: false, typeRoots: [types], types: ["node"] },
    };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["types.ts"] }));
    const tsc = join(ROOT, "node_modules/.bin/tsc");
    const { stdout } = await run(tsc, ["--project", folder]).catch(
      (error: unknown) => error as { stdout: string },
    );
    expect(stdout).toBe("");
  });

  test.each(["agentchart", "agentchart/store/sqlite", "agentchart/worker"])(
    "%s says at import that an old Node.js is too old",
    async (entry) => {
      const imported = run(
        process.execPath,
        ["--import", OLD_NODE, "--input-type=module", "--eval", `import "${entry}"`],
        { cwd: folder },
      );
      await expect(imported).rejects.toThrow("agentchart needs Node.js >= 22.18; this is v20.1.0 (");
    },
  );

  test("says at import of any entry that the older Node.js of this machine is too old", async ({ skip }) => {
    const older = olderNode();
    if (!older) return skip("There is no Node.js older than 22.18 in PATH.");
    linkPeers();
    const { exports } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { exports: object };
    const noneOfNode = ["./package.json", "./react", "./inspect/browser"];
    for (const subpath of Object.keys(exports).filter((each) => !noneOfNode.includes(each))) {
      const entry = `agentchart${subpath.slice(1)}`;
      const imported = run(older, ["--input-type=module", "--eval", `import "${entry}"`], { cwd: folder });
      await expect(imported, entry).rejects.toThrow(
        /^Error: agentchart needs Node\.js >= 22\.18; this is v.*$/m,
      );
    }
    await expect(run(older, [main, "--help"])).rejects.toThrow(
      /^agentchart needs Node\.js >= 22\.18; this is v.*$/m,
    );
  });
});

describe("the installed command", () => {
  test("prints its help, and draws the chart as the sources do", async () => {
    const help = await start(["--help"], { installed: main }).finished;
    expect(help).toMatchObject({ code: 0, stderr: "" });
    expect(help.stdout).toContain("agentchart");
    const chart = await start(["chart", "--format", "svg"], { installed: main }).finished;
    expect(chart).toMatchObject({ code: 0, stderr: "" });
    expect(chart.stdout).toBe(readFileSync(join(ROOT, "docs/chart.svg"), "utf8"));
  });

  test("serves sessions that an installed worker runs without any peer, with metrics and a log", async () => {
    const agents = `
      import { scriptedModel } from "agentchart/testing";
      export const agents = { greeter: () => ({ name: "greeter", model: scriptedModel(["Good morning."]) }) };
    `;
    writeFileSync(join(folder, "agents.mjs"), agents);
    const backend = ["--store", "sqlite:sessions.db", "--queue", "memory"];
    const server = startCommand("serve", "--insecure-no-auth", "--port", "0", ...backend);
    const url = await printedUrl(server);
    const worker = startCommand("worker", "--agents", "agents.mjs", "--health-port", "0", ...backend);
    const health = await printedUrl(worker);
    const body = JSON.stringify({ agent: "greeter", input: "Hello" });
    const headers = { "content-type": "application/json" };
    const begun = await fetch(`${url}/v1/sessions`, { method: "POST", headers, body });
    const { id } = (await begun.json()) as { readonly id: string };
    const transcript = async (): Promise<string> => (await fetch(`${url}/v1/sessions/${id}/messages`)).text();
    await expect.poll(transcript).toContain("Good morning.");
    expect(await (await fetch(`${health}/metrics`)).text()).toContain("agentchart_turns_total");
    worker.child.kill("SIGTERM");
    expect((await worker.finished).code).toBe(0);
    server.child.kill("SIGTERM");
    expect((await server.finished).code).toBe(0);
  });

  test.each([
    ["redis://127.0.0.1:1", "ioredis"],
    ["postgres://127.0.0.1:1/none", "pg"],
  ])(
    "ends a worker over %s that lacks %s before it runs, with the command that installs it",
    async (queue, name) => {
      const agents = `export default { greeter: () => ({ name: "greeter", model: { name: "m", stream: () => [] } }) };`;
      writeFileSync(join(folder, "one-agent.mjs"), agents);
      const flags = ["--agents", "one-agent.mjs", "--store", "sqlite:sessions.db", "--queue", queue];
      const { code, stdout, stderr } = await startCommand("worker", ...flags).finished;
      expect(code).toBe(1);
      expect(stdout + stderr).toContain(`bullQueue needs the package ${name}: npm install ${name}`);
      expect(stdout + stderr).not.toMatch(/"state":"(?:running|idle)"/);
    },
  );

  test("runs agents with a chat page, and loads them again", async () => {
    const agentsSaying = (answer: string): string => `
      import { scriptedModel } from "agentchart/testing";
      export const agents = { greeter: () => ({ name: "greeter", model: scriptedModel([${JSON.stringify(answer)}]) }) };
    `;
    writeFileSync(join(folder, "dev-agents.mjs"), agentsSaying("Good morning."));
    const dev = startCommand("dev", "--agents", "dev-agents.mjs", "--port", "0");
    const url = await printedUrl(dev);
    expect(await (await fetch(url)).text()).toContain("<script");
    const headers = {
      "content-type": "application/json",
      authorization: `Bearer ${readFileSync(join(folder, ".agentchart/token"), "utf8").trim()}`,
    };
    const answers = async (id: string, text: string): Promise<void> => {
      const at = `${url}/v1/sessions/${id}/messages`;
      const body = JSON.stringify({ agent: "greeter", input: "Hello" });
      expect((await fetch(at, { method: "POST", headers, body })).status).toBe(202);
      await expect.poll(async () => (await fetch(at, { headers })).text()).toContain(text);
    };
    await answers("one", "Good morning.");
    writeFileSync(join(folder, "dev-agents.mjs"), agentsSaying("Good evening."));
    await dev.printed("dev-agents.mjs changed: loaded greeter again.");
    await answers("two", "Good evening.");
    dev.child.kill("SIGINT");
    expect((await dev.finished).code).toBe(0);
  });

  test("shows an agent of another process in the inspector", async () => {
    const hub = startCommand("inspect", "--port", "0");
    const url = await printedUrl(hub);
    const page = await fetch(url);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain("<script");
    const report = `
      import { createAgent } from "agentchart";
      import { scriptedModel } from "agentchart/testing";
      const agent = createAgent({ name: "seen", model: scriptedModel(["hello"]), inspect: "auto" });
      console.log((await agent.call("hi")).text);
      await agent.close();
    `;
    const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", report], {
      cwd: folder,
      env: { ...BARE_ENV, HOME: folder },
    });
    expect(stdout).toBe("hello\n");
    hub.child.kill("SIGTERM");
    expect((await hub.finished).code).toBe(0);
  });
});

describe("the README in an empty folder", () => {
  const readme = readFileSync(join(ROOT, "README.md"), "utf8");
  const start = readFileSync(join(ROOT, "docs/guide/getting-started.md"), "utf8");
  /** What the first page of the guide shows of a program: its code, or what it prints. */
  const shown = (kind: "ts" | "text", file: string): string =>
    new RegExp(`^\`\`\`${kind} examples/guide/${file}\n([^]*?)^\`\`\``, "m").exec(start)![1]!;
  const blocks = (pattern: RegExp): readonly string[] =>
    [...readme.matchAll(pattern)].map(([, block]) => block!.trim());

  test("sets a project up, type-checks, and runs every program to its end, and those of the first page of the guide", async () => {
    const parent = mkdtempSync(join(tmpdir(), "agentchart-readme-"));
    const project = join(parent, "project");
    for (const path of [join(parent, "agentchart"), project]) mkdirSync(path);
    cpSync(join(folder, tarball), join(parent, "agentchart", tarball));
    const provider = await chatCompletionsServer(({ messages, tools }) => {
      const last = messages.at(-1)!;
      const { name } = tools![0]!.function;
      const said = name === "clock" ? "In Tokyo it is" : "It was";
      return last.role === "tool"
        ? { content: `${said} ${last.content as string}${name === "clock" ? "" : "."}` }
        : { calls: [{ name, input: { timeZone: "Asia/Tokyo", orderId: "17" } }] };
    });
    onTestFinished(() => provider.close());
    const { OPENAI_API_KEY: _, ...inherited } = process.env; // with the user's configuration of npm
    const env = {
      ...inherited,
      PATH: [dirname(process.execPath), process.env["PATH"]].join(delimiter),
      OPENAI_BASE_URL: provider.baseURL,
      npm_config_prefer_offline: "true",
    };
    const shell = async (command: string): Promise<string> =>
      (await run("sh", ["-e", "-c", command], { cwd: project, env })).stdout;

    for (const [, name, code] of readme.matchAll(/^```ts examples\/([\w.-]+)(?:#\w+)?\n([^]*?)^```/gm))
      writeFileSync(join(project, name!), code!);
    const [setUp] = blocks(/^```sh\n(npm init[^]*?)^```/gm);
    expect(await shell(setUp!)).toMatch(/In Tokyo it is \d\d\/\d\d\/\d{4}, \d\d:\d\d:\d\d\n$/);
    await expect(shell("npx tsc --noEmit")).resolves.toBe("");

    const [session] = blocks(/^```sh\n(\$ [^]*?)^```/gm);
    const lines = session!.split("\n");
    const commands = lines.flatMap((line) => (line.startsWith("$ ") ? [line.slice(2)] : []));
    let printed = "";
    for (const command of commands) printed += `$ ${command}\n${await shell(command)}`;
    expect(commands).toHaveLength(2);
    expect(printed.trim()).toBe(session);

    writeFileSync(join(project, "hello.ts"), shown("ts", "getting-started.ts"));
    writeFileSync(join(project, "test.ts"), shown("ts", "testing.ts"));
    expect(await shell("OPENAI_API_KEY=sk-none node hello.ts")).toBe(shown("text", "getting-started.ts"));
    expect(await shell("node test.ts")).toBe("passed\n");
    await expect(shell("npx tsc --noEmit")).resolves.toBe("");
    expect(await shell("OPENAI_API_KEY=sk-none npx agentchart doctor --model m")).toMatch(/^ok +node/m);
  });
});

/** Installs the peers whose types are those of `agentchart/otel` and `agentchart/mcp`, for one test; the first imports its peer, too. */
function linkPeers(): void {
  for (const peer of ["@opentelemetry/api", "@modelcontextprotocol/client"]) {
    const place = join(folder, "node_modules", peer);
    if (existsSync(place)) continue;
    mkdirSync(dirname(place), { recursive: true });
    symlinkSync(join(ROOT, "node_modules", peer), place);
    onTestFinished(() => rmSync(place));
  }
}

/** The first URL that a process prints, without its path. */
async function printedUrl({ child, printed, finished }: Started): Promise<string> {
  let text = "";
  for (const stream of [child.stdout!, child.stderr!]) stream.on("data", (piece: string) => (text += piece));
  await Promise.race([printed("http://"), finished]);
  await expect.poll(() => /http:\/\/[\w.:]+\d(?=\W)/.exec(text)?.[0]).toBeDefined();
  return /http:\/\/[\w.:]+\d/.exec(text)![0];
}

/** A Node.js in PATH that the package does not support. */
function olderNode(): string | undefined {
  const candidates = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/bin", "/usr/local/bin"].map(
    (path) => join(path, "node"),
  );
  return candidates.filter(existsSync).find((node) => {
    const [major = 0, minor = 0] = execFileSync(node, ["--version"], { encoding: "utf8" })
      .slice(1)
      .split(".")
      .map(Number);
    return major >= 18 && (major < 22 || (major === 22 && minor < 18));
  });
}
