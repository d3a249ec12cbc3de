#!/usr/bin/env node
// Makes a new project from a template. It is JavaScript without dependencies, because Node strips no types in node_modules, and two
// questions need no prompt library.
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, join, relative, resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import { parseArgs } from "node:util";
import { packageJson, TEMPLATES } from "./templates.mjs";

/** The oldest release that the projects run on, as their `engines` say. */
const [MAJOR, MINOR] = [22, 18];
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < MAJOR || (major === MAJOR && minor < MINOR)) {
  console.error(
    `create-agentchart: A project needs Node.js >= ${MAJOR}.${MINOR}; this is v${process.versions.node}. Install Node.js 24.`,
  );
  process.exit(1);
}

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, "package.json"), "utf8"));
const NAMES = Object.keys(TEMPLATES);
const LIST = NAMES.map((name) => `  ${name.padEnd(17)} ${TEMPLATES[name].about}`).join("\n");
const DEFAULTS = { folder: "my-agent", template: "hello" };

const HELP = `Usage: npm create agentchart [folder] -- [options]

Make a new project with agents. What is not given is asked for in a terminal.

Options:
  --template NAME    one of the templates below (default with --yes: ${DEFAULTS.template})
  --yes              ask nothing (default folder: ${DEFAULTS.folder})
  --agentchart SPEC  where npm gets agentchart from, such as ../agentchart-${version}.tgz (default: ^${version})
  --version          print the version
  -h, --help         print this help

Templates:
${LIST}

Exit codes:
  0    the project was made
  1    failure, such as a folder that is not empty
  2    wrong usage
  130  Ctrl-C`;

/** An end of the program that the user can understand. */
class Refusal extends Error {
  constructor(message, exitCode) {
    super(message);
    this.exitCode = exitCode;
  }
}

function parsed(args) {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        template: { type: "string" },
        yes: { type: "boolean", short: "y", default: false },
        agentchart: { type: "string", default: `^${version}` },
        version: { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
    });
    if (positionals.length > 1) throw new Error(`One folder is expected, and not ${positionals.join(", ")}.`);
    return { ...values, folder: positionals[0] };
  } catch (error) {
    throw new Refusal(`${error.message.replace(/\. .*/s, ".")} See "npm create agentchart -- --help".`, 2);
  }
}

/** Asks for what is missing, in a terminal; elsewhere it is refused, unless `--yes` takes the defaults. */
async function completed({ folder, template, yes, ...others }) {
  if (template !== undefined && !NAMES.includes(template))
    throw new Refusal(`There is no template '${template}': use ${NAMES.join(", ")}.`, 2);
  if (yes) return { ...others, folder: folder ?? DEFAULTS.folder, template: template ?? DEFAULTS.template };
  if (folder !== undefined && template !== undefined) return { ...others, folder, template };
  if (!process.stdin.isTTY) {
    const missing = folder === undefined ? "the folder" : `--template with one of ${NAMES.join(", ")}`;
    throw new Refusal(`Missing ${missing}; --yes takes the defaults.`, 2);
  }
  return { ...others, ...(await asked(folder, template)) };
}

async function asked(folder, template) {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  terminal.on("SIGINT", () => process.exit(130)).on("close", () => process.exit(130));
  const ask = async (question, fallback) =>
    (await terminal.question(`${question} (${fallback}): `)).trim() || fallback;
  const chosenFolder = folder ?? (await ask("Folder", DEFAULTS.folder));
  let chosen = template;
  if (chosen === undefined) console.log(LIST);
  while (!NAMES.includes(chosen)) chosen = await ask("Template", DEFAULTS.template);
  terminal.removeAllListeners("close");
  terminal.close();
  return { folder: chosenFolder, template: chosen };
}

/** Refuses a path where something is already. */
function checkFolder(path) {
  if (!existsSync(path)) return;
  if (!statSync(path).isDirectory()) throw new Refusal(`${path} is a file: name a new folder.`, 1);
  if (readdirSync(path).length > 0) throw new Refusal(`${path} is not empty: name a new folder.`, 1);
}

/** The name of a package for a folder: npm allows small letters, digits, dots, dashes and underscores. */
function packageName(path) {
  const name = basename(path)
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, "-")
    .replace(/^[._-]+|-+$/g, "");
  return name || "my-agent";
}

function make(path, template, agentchart) {
  mkdirSync(path, { recursive: true });
  for (const part of ["shared", template])
    cpSync(join(import.meta.dirname, "templates", part), path, { recursive: true });
  // npm would leave the one out of the package, and a compiler would find the other there
  renameSync(join(path, "_gitignore"), join(path, ".gitignore"));
  renameSync(join(path, "_tsconfig.json"), join(path, "tsconfig.json"));
  const content = packageJson(packageName(path), template, agentchart);
  writeFileSync(join(path, "package.json"), `${JSON.stringify(content, null, 2)}\n`);
}

async function main(args) {
  const options = parsed(args);
  if (options.help) return console.log(HELP);
  if (options.version) return console.log(version);
  if (options.folder !== undefined) checkFolder(resolve(options.folder)); // before anything is asked
  const { folder, template, agentchart } = await completed(options);
  const path = resolve(folder);
  checkFolder(path);
  make(path, template, agentchart);
  const shown = relative(".", path);
  console.log(`Made ${template} in ${path}. Next:

  ${shown ? `cd ${/^[\w@%+=:,./-]+$/.test(shown) ? shown : JSON.stringify(shown)}\n  ` : ""}npm install
  npm test
  npm start

README.md says what is there; "npx agentchart doctor" says what is missing.`);
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error(`create-agentchart: ${error.message}`);
  process.exitCode = error instanceof Refusal ? error.exitCode : 1;
}
