/** Builds the site into site/dist: the pages of the repository, and the agent of the first page from the sources. VitePress, since it installs
 *  from the registry with two packages pinned and searches offline; Starlight lacks its compiler there. */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { writePages } from "./pages.mjs";

const here = import.meta.dirname;
const root = join(here, "..");
const folder = writePages();

const { metafile } = await build({
  entryPoints: { page: join(here, "demo/page.ts"), worker: join(here, "demo/worker.ts") },
  outdir: join(folder, "public/demo"),
  bundle: true,
  splitting: true,
  minify: true,
  metafile: true,
  format: "esm",
  target: "es2023",
  platform: "browser",
  conditions: ["agentchart-source"],
  // as package.json says for bundles of the built package
  alias: {
    "agentchart/testing": join(root, "src/testing/scripted-model.ts"),
    "gpt-tokenizer/encoding/cl100k_base": join(here, "demo/nothing.ts"),
  },
  external: ["agentchart/inspect"],
  logLevel: "warning",
});
const bytes = Object.values(metafile.outputs).reduce((sum, output) => sum + output.bytes, 0);
console.log(`The agent of the first page has ${Math.round(bytes / 1000)} kB.`);

if (!existsSync(join(here, "node_modules")))
  execFileSync("npm", ["ci", "--no-audit", "--no-fund"], { cwd: here, stdio: "inherit" });
execFileSync(process.execPath, [join(here, "node_modules/vitepress/bin/vitepress.js"), "build", here], {
  cwd: root,
  stdio: "inherit",
});
