// Projects of `npm create agentchart`: each template is made, checked and tested.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
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
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import packageJson from "agentchart/package.json" with { type: "json" };
import { satisfies } from "semver";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TEMPLATES } from "../../create/templates.mjs";
import { BARE_ENV } from "../support/bare-env.ts";
import { ROOT } from "./source-files.ts";

const folder = mkdtempSync(join(tmpdir(), "agentchart-create-"));
const MAIN = join(ROOT, "create/main.mjs");
const NAMES = Object.keys(TEMPLATES);

/** Runs the program without a terminal. */
function create(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...args], {
    cwd: folder,
    env: BARE_ENV,
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

test("help names each template, and so does the README", () => {
  const { status, stdout } = create("--help");
  expect(status).toBe(0);
  const readme = readFileSync(join(ROOT, "create/README.md"), "utf8");
  for (const [name, { about }] of Object.entries(TEMPLATES)) {
    expect(stdout).toMatch(new RegExp(`^  ${name} +${about}$`, "m"));
    expect(readme).toMatch(new RegExp(`^\\| \`${name}\` +\\| ${about} +\\|$`, "m"));
  }
  const folders = readdirSync(join(ROOT, "create/templates"));
  expect(folders.toSorted()).toEqual([...NAMES, "shared"].toSorted());
});

test("its version is that of the package, which it installs", () => {
  expect(create("--version").stdout).toBe(`${packageJson.version}\n`);
});

/** Runs the program in a pseudo terminal, made by `script`, and types each answer when its question has come. */
async function createInTerminal(
  cwd: string,
  answers: readonly (readonly [question: string, answer: string])[],
) {
  const command = `${JSON.stringify(process.execPath)} ${JSON.stringify(MAIN)}`;
  const child = spawn("script", ["-qec", command, "/dev/null"], { cwd, env: BARE_ENV });
  let shown = "";
  let answered = 0;
  const left = [...answers];
  child.stdout.on("data", (text: Buffer) => {
    shown += text;
    // a new text that ends with the question: what is typed before the question is asked again is lost
    const plain = stripVTControlCharacters(shown);
    if (!left[0] || plain.length === answered || !plain.endsWith(left[0][0])) return;
    answered = plain.length;
    child.stdin.write(left.shift()![1]);
  });
  const [status] = (await once(child, "close")) as [number];
  return { status, shown, left };
}

const hasTerminal = spawnSync("script", ["--version"]).status === 0;

test.skipIf(!hasTerminal)(
  "in a terminal it asks for the folder and the template, takes defaults, and Ctrl-C leaves nothing behind (needs `script`)",
  async () => {
    const cwd = mkdtempSync(join(tmpdir(), "agentchart-terminal-"));
    const asked = await createInTerminal(cwd, [
      ["Folder (my-agent): ", "asked\r"],
      ["Template (hello): ", "nonsense\r"],
      ["Template (hello): ", "approval-desk\r"],
    ]);
    expect(asked).toMatchObject({ status: 0, left: [] });
    for (const name of NAMES) expect(asked.shown).toContain(`  ${name} `);
    expect(asked.shown).toContain("Made approval-desk in ");
    const byDefault = await createInTerminal(cwd, [
      ["Folder (my-agent): ", "\r"],
      ["Template (hello): ", "\r"],
    ]);
    expect(byDefault).toMatchObject({ status: 0, left: [] });
    expect(byDefault.shown).toContain("Made hello in ");
    const interrupted = await createInTerminal(cwd, [["Folder (my-agent): ", "\u0003"]]);
    expect(interrupted.status).toBe(130);
    expect(readdirSync(cwd).toSorted()).toEqual(["asked", "my-agent"]);
  },
);

test("a folder that is not empty, a file and wrong usage are refused in one line, and nothing is written", () => {
  mkdirSync(join(folder, "full"));
  writeFileSync(join(folder, "full/a.txt"), "mine");
  const cases: readonly (readonly [readonly string[], number, RegExp])[] = [
    [["full", "--yes"], 1, /full is not empty: it has a\.txt\. Name a new folder\./],
    [[join("node_modules", "x"), "--yes"], 1, /in node_modules, where Node\.js runs no TypeScript/],
    [["", "--yes"], 2, /"" is not a name of a folder\./],
    [[" ", "--yes"], 2, /" " is not a name of a folder\./],
    [["a\nb", "--yes"], 2, /"a\\nb" is not a name of a folder\./],
    [["x", "--yes", "--agentchart", "./none.tgz"], 1, /There is no .*none\.tgz, which --agentchart names\./],
    [["x", "--yes", "--agentchart", ""], 2, /--agentchart is empty\./],
    [["x", "--template"], 2, /argument missing\. See "npm create agentchart -- --help"\./],
    [["full/a.txt", "--yes"], 1, /a\.txt is a file: name a new folder\./],
    [["x", "--template", "helo"], 2, /There is no template 'helo': use hello, chat-page, /],
    [
      ["x", "--tempalte", "hello"],
      2,
      /Unknown option '--tempalte'.* See "npm create agentchart -- --help"\./,
    ],
    [["x", "y"], 2, /One folder is expected, and not x, y\./],
    [["x"], 2, /Missing --template with one of hello, .*; --yes takes the defaults\./],
    [["--template", "hello"], 2, /Missing the folder/],
  ];
  for (const [args, code, problem] of cases) {
    const { status, stdout, stderr } = create(...args);
    expect([status, stdout, stderr.match(/\n/g)?.length]).toEqual([code, "", 1]);
    expect(stderr).toMatch(problem);
  }
  expect(readdirSync(folder)).toEqual(["full"]);
});

test("on an old Node.js it says which one is needed, and makes nothing", () => {
  const old = 'data:text/javascript,Object.defineProperty(process,"versions",{value:{node:"20.20.2"}})';
  const args = ["--import", old, MAIN, "aged", "--yes"];
  const { status, stderr } = spawnSync(process.execPath, args, {
    cwd: folder,
    env: BARE_ENV,
    encoding: "utf8",
  });
  expect([status, stderr]).toEqual([
    1,
    "create-agentchart: A project needs Node.js >= 22.18; this is v20.20.2. Install Node.js 24.\n",
  ]);
  expect(readdirSync(folder)).not.toContain("aged");
});

test("--yes makes the default project, in a folder with a name that npm takes", () => {
  const made = create("--yes");
  expect(made).toMatchObject({ status: 0, stderr: "" });
  expect(made.stdout).toContain("cd my-agent\n  npm install\n");
  expect(create("My Project!", "--template", "hello").stdout).toContain("cd 'My Project!'");
  const { name } = JSON.parse(readFileSync(join(folder, "My Project!/package.json"), "utf8")) as {
    name: string;
  };
  expect(name).toBe("my-project");
});

test.each([
  ["My.App v2", "my.app-v2", '"My.App v2"'],
  ["UPPER", "upper", "UPPER"],
  ["_under", "under", "_under"],
  ["日本語", "my-agent", '"日本語"'],
  ["a$b", "a-b", "'a$b'"],
  ["it's $5", "it-s-5", "'it'\\''s $5'"],
  ["zod", "zod-agent", "zod"],
  ["agentchart", "agentchart-agent", "agentchart"],
  ["http", "http-agent", "http"],
  ["favicon.ico", "favicon.ico-agent", "favicon.ico"],
  ["@scope/desk", "desk", "@scope/desk"],
  ["a".repeat(230), "a".repeat(100), "a".repeat(230)],
])("a project in the folder %j is called %s, and cd is told %s", (name, called, shown) => {
  const { status, stdout } = create(name, "--yes");
  expect(status).toBe(0);
  expect(stdout).toContain(`\n  cd ${shown}\n`);
  const made = JSON.parse(readFileSync(join(folder, name, "package.json"), "utf8")) as { name: string };
  expect(made.name).toBe(called);
});

test("a fresh repository, and `--` as other package managers hand it on, are not a hindrance", () => {
  mkdirSync(join(folder, "cloned/.git"), { recursive: true });
  writeFileSync(join(folder, "cloned/LICENSE"), "MIT");
  expect(create("cloned", "--", "--template", "machine")).toMatchObject({ status: 0, stderr: "" });
  expect(readFileSync(join(folder, "cloned/LICENSE"), "utf8")).toBe("MIT");
  expect(existsSync(join(folder, "cloned/machine.ts"))).toBe(true);
});

test("a path of --agentchart is one of where the user is, and a version is as it was given", () => {
  writeFileSync(join(folder, "agentchart-1.tgz"), "");
  for (const [index, [spec, written]] of (
    [
      ["./agentchart-1.tgz", "file:../../agentchart-1.tgz"],
      ["agentchart-1.tgz", "file:../../agentchart-1.tgz"],
      ["file:agentchart-1.tgz", "file:../../agentchart-1.tgz"],
      ["0.2.0", "0.2.0"],
      ["latest", "latest"],
      ["https://example.com/agentchart-1.tgz", "https://example.com/agentchart-1.tgz"],
    ] as const
  ).entries()) {
    expect(create(`deep/${index}`, "--yes", "--agentchart", spec)).toMatchObject({ status: 0 });
    const text = readFileSync(join(folder, `deep/${index}/package.json`), "utf8");
    expect((JSON.parse(text) as { dependencies: object }).dependencies).toMatchObject({
      agentchart: written,
    });
  }
});

describe.each(NAMES)("the template %s", (template) => {
  test("has a README and a test that passes without a key, and packages that are known to work", () => {
    expect(create(template, "--template", template)).toMatchObject({ status: 0, stderr: "" });
    const project = join(folder, template);
    const files = readdirSync(project);
    expect(files).toEqual(
      expect.arrayContaining([".gitignore", "README.md", "model.ts", "package.json", "tsconfig.json"]),
    );
    expect(files.filter((name) => name.startsWith("_"))).toEqual([]);
    const { dependencies } = JSON.parse(readFileSync(join(project, "package.json"), "utf8")) as {
      readonly dependencies: { readonly [name: string]: string };
    };
    const known: { readonly [name: string]: string } = {
      ...packageJson.devDependencies,
      ...packageJson.dependencies,
      agentchart: packageJson.version,
    };
    for (const [name, range] of Object.entries(dependencies))
      expect(satisfies(known[name]!, range), name).toBe(true);
    const { peerDependencies: peers }: { peerDependencies: { readonly [name: string]: string } } =
      packageJson;
    for (const [name, range] of Object.entries(dependencies)) expect(peers[name] ?? range, name).toBe(range);
    symlinkSync(join(ROOT, "node_modules"), join(project, "node_modules"));
    execFileSync(process.execPath, ["--conditions=agentchart-source", "--test", "*.test.ts"], {
      cwd: project,
      env: BARE_ENV,
    });
    expect(existsSync(join(project, "sessions"))).toBe(false);
  });
});

/** What `npm start` prints without a key, of the templates whose program ends by itself. */
const STARTED: { readonly [template: string]: RegExp } = {
  hello: /^In Tokyo it is \d/m,
  "approval-desk": /^refund {.*} waits \(more than ten euros\): npm start yes/m,
  machine: /^The newsroom has ended in: published$/m,
};

describe("from the packages as they are published", () => {
  const packed = mkdtempSync(join(tmpdir(), "agentchart-created-"));
  afterAll(() => rmSync(packed, { recursive: true, force: true }), 300_000); // the packages of six projects
  const npm = (cwd: string, ...args: readonly string[]): string =>
    execFileSync("npm", ["--silent", "--no-audit", "--no-fund", "--prefer-offline", ...args], {
      cwd,
      encoding: "utf8",
    });
  let agentchart: string;

  beforeAll(() => {
    if (!existsSync(join(ROOT, "THIRD-PARTY-NOTICES"))) throw new Error('Run "npm run build" first.');
    const pack = (of: string): string =>
      join(packed, npm(of, "pack", "--ignore-scripts", "--pack-destination", packed).trim());
    agentchart = pack(ROOT);
    writeFileSync(join(packed, "package.json"), JSON.stringify({ private: true }));
    npm(packed, "install", pack(join(ROOT, "create")));
  });

  const chosen = process.env["SOAK"] === "1" ? NAMES : ["approval-desk"];

  test.each(chosen)("%s installs, type-checks, passes its test and starts", (template) => {
    const options = ["--template", template, "--agentchart", agentchart];
    npm(packed, "exec", "--offline", "--", "create-agentchart", template, ...options);
    const project = join(packed, template);
    npm(project, "install");
    npm(project, "run", "typecheck");
    expect(npm(project, "test")).toMatch(/\bfail 0\b/);
    if (STARTED[template]) expect(npm(project, "start")).toMatch(STARTED[template]);
    if (template !== "approval-desk") return;
    expect(npm(project, "start", "And now?")).toMatch(STARTED[template]!); // it waits still
    expect(npm(project, "start", "yes")).toContain("Paid back 4900 cents for order 17.");
    expect(npm(project, "start", "yes")).toBe("Nothing waits.\n");
  });
});

test("both packages could be published", () => {
  for (const [name, place] of [
    ["agentchart", ROOT],
    ["create-agentchart", join(ROOT, "create")],
  ] as const) {
    const args = ["publish", "--dry-run", "--ignore-scripts", "--json", "--tag", "rehearsal"];
    const report = execFileSync("npm", args, { cwd: place, encoding: "utf8", stdio: "pipe" });
    expect(report).toContain(`"${name}@${packageJson.version}"`);
  }
});
