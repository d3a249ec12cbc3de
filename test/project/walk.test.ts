// A walk through the pages from an empty folder, with the packed package: each program and each command runs, and prints what is expected
// of it. `PROGRAMS` and `COMMANDS` say what readers have already, and of each block that is not run here why.
import { execFile, execFileSync } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { builtinModules } from "node:module";
import { tmpdir } from "node:os";
import { basename, delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { chatCompletionsServer, type ChatCompletionsServer } from "agentchart/testing";
import { BARE_ENV } from "../support/bare-env.ts";
import { examplesOf, pagesWithExamples, withBlocks } from "../support/doc-blocks.ts";
import { pagePrograms } from "../support/page-programs.ts";
import { COMMANDS, FILES, PROGRAMS } from "./walk/steps.ts";
import { ROOT } from "./source-files.ts";

/** With CI=1 one of three, others each day; all without it, and with SOAK=1. */
const DAY = Math.floor(Date.now() / 86_400_000);
const ofToday = <T>(all: readonly T[]): readonly T[] =>
  process.env["CI"] && process.env["SOAK"] !== "1" ? all.filter((_, place) => (place + DAY) % 3 === 0) : all;

const run = promisify(execFile);
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

let parent: string;
let provider: ChatCompletionsServer;
let anthropic: Server;
let env: { readonly [name: string]: string };

/** Sends what is for OpenAI to the provider of this test. */
const REDIRECT = `
  const { fetch: real } = globalThis;
  const here = (url) => String(url).replace("https://api.openai.com/v1", process.env.LOOPBACK);
  globalThis.fetch = (url, init) => real(url instanceof Request ? url : here(url), init);
`;
const CLAUDE = [
  { type: "message_start", message: { id: "m", type: "message", role: "assistant", model: "m", content: [], usage: { input_tokens: 1, output_tokens: 1 } } },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hello from Claude." } },
  { type: "content_block_stop", index: 0 },
  { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 4 } },
  { type: "message_stop" },
]; // prettier-ignore

/** Makes an empty folder with what docs/guide/getting-started.md installs. */
beforeAll(async () => {
  if (!existsSync(join(ROOT, "THIRD-PARTY-NOTICES"))) throw new Error('Run "npm run build" first.');
  parent = mkdtempSync(join(tmpdir(), "agentchart-walk-"));
  const npm = (cwd: string, ...args: readonly string[]): string =>
    execFileSync("npm", [...args, "--silent", "--no-audit", "--no-fund", "--prefer-offline"], {
      cwd,
      encoding: "utf8",
    });
  const tarball = npm(ROOT, "pack", "--ignore-scripts", "--pack-destination", parent).trim();
  writeFileSync(join(parent, "package.json"), JSON.stringify({ private: true, type: "module" }));
  npm(parent, "install", `./${tarball}`, "zod");
  writeFileSync(join(parent, "redirect.mjs"), REDIRECT);
  provider = await chatCompletionsServer(({ messages, tools }) => {
    const last = messages.at(-1)!;
    const said = typeof last.content === "string" ? last.content : JSON.stringify(last.content);
    const tool = tools?.find((each) => each.function.name.endsWith("list_directory")) ?? tools?.[0];
    if (last.role === "tool" || !tool) return { content: `It was ${said}.` };
    return { calls: [{ name: tool.function.name, input: { orderId: "17", path: "." } }] };
  });
  anthropic = createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(CLAUDE.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""));
  }).listen(0, "127.0.0.1");
  await once(anthropic, "listening");
  env = {
    ...BARE_ENV,
    PATH: [dirname(process.execPath), process.env["PATH"]].join(delimiter),
    LOOPBACK: provider.baseURL,
    ANTHROPIC: `http://127.0.0.1:${(anthropic.address() as AddressInfo).port}/v1`,
    OPENAI_API_KEY: "sk-none",
    NODE_OPTIONS: `--import=${join(parent, "redirect.mjs")}`,
    npm_config_offline: "true",
    TMPDIR: parent, // what crash tests leave for a look at them goes with it
  };
});
afterAll(async () => {
  await provider.close();
  anthropic.close();
  rmSync(parent, { recursive: true, force: true });
});

/** The packages that a page tells to install, beside those of getting-started.md. */
const namedBy = (page: string): readonly string[] =>
  [...read(page).matchAll(/npm install ((?:[@a-z][\w@/.-]*(?: |(?=[`\n)])))+)/g)]
    .flatMap(([, names]) => names!.trim().split(" "))
    .filter((name) => name !== "agentchart" && name !== "zod");
const packageOf = (specifier: string): string => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)![0];

/** Installs what a page names, until the test ends; `others` are commands that `npx` would fetch. */
function installFor(page: string, others: readonly string[] = []): void {
  for (const name of new Set([...namedBy(page), ...others])) {
    const place = join(parent, "node_modules", name);
    const from = join(ROOT, "node_modules", name);
    if (existsSync(place)) continue;
    expect(existsSync(from), `${page} names ${name}, which is not a package of the tests`).toBe(true);
    mkdirSync(dirname(place), { recursive: true });
    symlinkSync(from, place);
    onTestFinished(() => rmSync(place));
  }
}

/** The packages that a program imports and its page does not name. */
function unnamed(page: string, code: string): readonly string[] {
  const known = new Set(["agentchart", "zod", ...namedBy(page), ...builtinModules]);
  return [...code.matchAll(/^(?!import type).*?\bfrom "([^".][^"]*)"/gm)]
    .map(([, specifier]) => specifier!)
    .filter((specifier) => !specifier.startsWith("node:") && !known.has(packageOf(specifier)));
}

/** An empty folder below the one with the packages. */
function emptyFolder(): string {
  const folder = mkdtempSync(join(parent, "walk-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const programs = pagePrograms();
const withCode = pagesWithExamples.filter(
  (page) => page !== "README.md" && examplesOf(read(page)).length > 0,
);

test.for(ofToday(withCode))(
  "the examples of %s need what the page installs, and print what it says",
  async (page) => {
    installFor(page);
    const outputs = new Map<string, string>();
    for (const file of examplesOf(read(page))) {
      const place = join(emptyFolder(), "examples");
      cpSync(join(parent, "node_modules/agentchart", dirname(file)), place, { recursive: true });
      const program = join(place, basename(file));
      expect(unnamed(page, readFileSync(program, "utf8"))).toEqual([]);
      const options = { cwd: emptyFolder(), env: { ...env, OPENAI_BASE_URL: provider.baseURL } };
      const { stdout } = await run(process.execPath, [program], options);
      outputs.set(file, stdout);
    }
    expect(withBlocks(read(page), outputs)).toBe(read(page));
  },
);

test("each program of a page is run here, or it is said why not and which test has it", () => {
  const reasons = [...Object.values(PROGRAMS), ...Object.values(COMMANDS)].filter(
    (step) => typeof step === "string",
  );
  const named = reasons.map((reason) => /test\/[\w/.-]+\.test\.ts/.exec(reason)?.[0] ?? reason);
  expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([
    "builds the package: its tarball is what this test installs",
  ]);
  expect(programs.map(({ name }) => name).toSorted()).toEqual(Object.keys(PROGRAMS).toSorted());
});

const ran = programs.filter(({ name }) => typeof PROGRAMS[name] !== "string");

test.for(ofToday(ran))("the program $name runs with what $page installs", async ({ page, name, code }) => {
  const step = PROGRAMS[name];
  if (typeof step !== "object") throw new Error(`PROGRAMS has no ${name}.`);
  installFor(page, ["@modelcontextprotocol/server-filesystem"]);
  expect(unnamed(page, code)).toEqual([]);
  const folder = emptyFolder();
  let edited = code;
  for (const [from, to] of step.edit ?? []) {
    expect(edited).toContain(from);
    edited = edited.replace(from, to);
  }
  const files = { ...FILES, "page.ts": edited, ...(step.use && { "use.ts": step.use }) };
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
  const args = [step.use ? "use.ts" : "page.ts"];
  let printed = "";
  for (const more of step.runs ?? [{}]) {
    const options = { cwd: folder, env: { ...env, HOME: folder, ...more } };
    printed += (await run(process.execPath, args, options)).stdout;
  }
  expect(printed).toMatch(step.prints);
});

/** The blocks of commands of the pages; a command may go over several lines. */
const blocks = globSync(["docs/*.md", "docs/guide/*.md"], { cwd: ROOT, exclude: ["docs/crash-matrix.md"] })
  .toSorted()
  .flatMap((page) =>
    [...read(page).matchAll(/^```(?:sh|bash|shell|console)\b.*\n([^]*?)^```$/gm)].map(([, text], index) => ({
      page,
      block: `${page} ${index + 1}`,
      commands: text!.trim().split("\n"),
    })),
  );

test("each block of commands is run here, or it is said why not", () => {
  expect(blocks.map(({ block }) => block).toSorted()).toEqual(Object.keys(COMMANDS).toSorted());
});

const walked = blocks.filter(({ block }) => typeof COMMANDS[block] !== "string");

test.for(ofToday(walked))(
  "the commands of $block run one after the other",
  async ({ page, block, commands }) => {
    const step = COMMANDS[block];
    if (typeof step !== "object") throw new Error(`COMMANDS has no ${block}.`);
    installFor(page, ["@modelcontextprotocol/server-filesystem"]);
    const folder = emptyFolder();
    for (const [file, text] of Object.entries({ ...FILES, ...step.files })) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), programs.find(({ name }) => name === text)?.code ?? text);
    }
    const options = { cwd: folder, env: { ...env, HOME: folder } };
    if (step.before !== undefined) {
      writeFileSync(join(folder, "before.ts"), step.before);
      await run(process.execPath, ["before.ts"], options);
    }
    const skipped = Object.keys(step.skip ?? {});
    const isSkipped = (command: string): boolean =>
      skipped.some((beginning) => command.startsWith(beginning));
    expect(skipped.filter((beginning) => !commands.some((each) => each.startsWith(beginning)))).toEqual([]);
    const chosen = commands.filter((command) => !isSkipped(command));
    expect(chosen).toHaveLength(step.prints.length);
    for (const [index, command] of chosen.entries()) {
      const edited = (step.edit ?? []).reduce((text, [from, to]) => text.replace(from, to), command);
      const { stdout, stderr } = await run("sh", ["-e", "-c", edited], options);
      expect(stdout + stderr, command).toMatch(step.prints[index]!);
    }
  },
);
