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
import { builtinModules } from "node:module";
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
  --agentchart SPEC  where npm gets agentchart from: a version, or a path such as ../agentchart-${version}.tgz (default: ^${version})
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
      // npm takes the `--` of its users away, and other package managers hand it on
      args: args.filter((arg) => arg !== "--"),
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
    const [problem] = error.message.split(/\.(?: |$)/);
    throw new Refusal(`${problem}. See "npm create agentchart -- --help".`, 2);
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

/** What may be in the folder of a project before it: a fresh repository. */
const BESIDES = [".git", ".gitattributes", ".idea", ".vscode", ".DS_Store", "LICENSE"];

/** Returns the path of the folder. Refuses one where something is already, and one in which nothing could run. */
function checkedPath(folder) {
  if (folder.trim() === "" || /\p{Cc}/u.test(folder))
    throw new Refusal(`${JSON.stringify(folder)} is not a name of a folder.`, 2);
  const path = resolve(folder);
  if (path.split(/[\\/]/).includes("node_modules"))
    throw new Refusal(
      `${path} is in node_modules, where Node.js runs no TypeScript: name another folder.`,
      1,
    );
  if (!existsSync(path)) return path;
  if (!statSync(path).isDirectory()) throw new Refusal(`${path} is a file: name a new folder.`, 1);
  const [found] = readdirSync(path).filter((name) => !BESIDES.includes(name));
  if (found !== undefined) throw new Refusal(`${path} is not empty: it has ${found}. Name a new folder.`, 1);
  return path;
}

/** The name of a package for a folder: npm allows small letters, digits, dots, dashes and underscores, and few names not at all. The
 *  name of a package that the project uses would mean the project itself. */
function packageName(path, uses) {
  const name = basename(path)
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, "-")
    .replace(/^[._-]+/, "")
    .slice(0, 100)
    .replace(/-+$/, "");
  if (name === "") return DEFAULTS.folder;
  return [...uses, ...builtinModules, "favicon.ico"].includes(name) ? `${name}-agent` : name;
}

/** Where npm gets the package from, as the new project has to say it: a path is one of where the user is. */
function specFor(path, spec) {
  if (spec.trim() === "") throw new Refusal("--agentchart is empty.", 2);
  const file = /^(?:file:|\.{0,2}[\\/]|[A-Za-z]:[\\/])/.test(spec) || spec.endsWith(".tgz");
  if (!file || /^https?:/.test(spec)) return spec;
  const place = resolve(spec.replace(/^file:/, ""));
  if (!existsSync(place)) throw new Refusal(`There is no ${place}, which --agentchart names.`, 1);
  return `file:${relative(path, place).replaceAll("\\", "/")}`;
}

/** The folder as a shell reads it. */
function quoted(shown) {
  if (/^[\w@%+=:,./][\w@%+=:,./-]*$/.test(shown)) return shown;
  const from = shown.startsWith("-") ? `./${shown}` : shown;
  return /["$`\\!]/.test(from) ? `'${from.replaceAll("'", "'\\''")}'` : `"${from}"`;
}

function make(path, template, agentchart) {
  mkdirSync(path, { recursive: true });
  for (const part of ["shared", template])
    cpSync(join(import.meta.dirname, "templates", part), path, { recursive: true });
  // npm would leave the one out of the package, and a compiler would find the other there
  renameSync(join(path, "_gitignore"), join(path, ".gitignore"));
  renameSync(join(path, "_tsconfig.json"), join(path, "tsconfig.json"));
  const { dependencies, devDependencies } = packageJson("", template, agentchart);
  const name = packageName(path, Object.keys({ ...dependencies, ...devDependencies }));
  const content = packageJson(name, template, agentchart);
  writeFileSync(join(path, "package.json"), `${JSON.stringify(content, null, 2)}\n`);
}

async function main(args) {
  const options = parsed(args);
  if (options.help) return console.log(HELP);
  if (options.version) return console.log(version);
  if (options.folder !== undefined) checkedPath(options.folder); // before anything is asked
  const { folder, template, agentchart } = await completed(options);
  const path = checkedPath(folder);
  make(path, template, specFor(path, agentchart));
  const shown = relative(".", path);
  const [manager] = /^(?:pnpm|yarn|bun)(?=\/)/.exec(process.env["npm_config_user_agent"] ?? "") ?? ["npm"];
  console.log(`Made ${template} in ${path}. Next:

  ${shown ? `cd ${quoted(shown)}\n  ` : ""}${manager} install
  ${manager === "bun" ? "bun run" : manager} test
  ${manager === "bun" ? "bun run" : manager} start

README.md says what is there; "npx agentchart doctor" says what is missing.`);
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error(`create-agentchart: ${error.message}`);
  process.exitCode = error instanceof Refusal ? error.exitCode : 1;
}
