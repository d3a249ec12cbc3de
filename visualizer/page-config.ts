import { join } from "node:path";
import { defineConfig, type UserConfig } from "vite";
import { recordBundled } from "../scripts/record-bundled.mjs";
import { lexerOnly } from "./lexer-only.ts";

/** What of Node is in modules that the page shares with agents, and is not needed in the page. */
export const WITHOUT_NODE = { "node:crypto": join(import.meta.dirname, "src/why-not/no-crypto.ts") };

type Importers = { readonly isEntry: boolean; readonly importers: readonly string[] } | null;

/** Makes one file of all modules that every visit loads: dozens of small ones compress worse, and each costs a request. */
const FIRST_VISIT = {
  debugName: "page",
  name: (id: string, context: { getModuleInfo(id: string): Importers }): string | null => {
    const seen = new Set([id]);
    for (const each of seen) {
      const info = context.getModuleInfo(each);
      if (info?.isEntry) return "page";
      for (const importer of info?.importers ?? []) seen.add(importer);
    }
    return null;
  },
};

type Page = { readonly root: string; readonly outDir: string; readonly name: string };

/** How a page is built. It has a strict content security policy, so neither scripts nor fonts are inlined. */
export function pageConfig({ root, outDir, name }: Page): UserConfig {
  return defineConfig({
    root,
    base: "./",
    resolve: { alias: WITHOUT_NODE },
    plugins: [lexerOnly, recordBundled(name)],
    oxc: { jsx: { runtime: "automatic", importSource: "#page" } },
    build: {
      outDir,
      emptyOutDir: true,
      target: ["chrome130", "firefox132", "safari18"],
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      chunkSizeWarningLimit: 600,
      rolldownOptions: { output: { codeSplitting: { groups: [FIRST_VISIT] } } },
    },
  });
}
