/** Builds the site into site/dist: the pages of the repository, and the agent of the first page from the sources. VitePress, since it installs
 *  from the registry pinned and searches offline; Starlight lacks its compiler there. */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

const here = import.meta.dirname;
const root = join(here, "..");
if (!existsSync(join(here, "node_modules")))
  execFileSync("npm", ["ci", "--no-audit", "--no-fund"], { cwd: here, stdio: "inherit" });
const { writePages } = await import("./pages.mjs"); // which needs these packages
const folder = await writePages();

/** Bundles a program of the first page by itself: what the worker needs is loaded when a visitor starts it. */
async function bundle(name) {
  const { metafile } = await build({
    entryPoints: { [name]: join(here, `demo/${name}.ts`) },
    outdir: join(folder, "public/demo"),
    bundle: true,
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
  console.log(`${name}.js of the first page has ${Math.round(bytes / 1000)} kB.`);
}

await bundle("page");
await bundle("worker");

execFileSync(process.execPath, [join(here, "node_modules/vitepress/bin/vitepress.js"), "build", here], {
  cwd: root,
  stdio: "inherit",
});
