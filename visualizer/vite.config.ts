import { defineConfig } from "vite";
import { recordBundled } from "../scripts/record-bundled.mjs";
import { lexerOnly } from "./lexer-only.ts";

/** The page has a strict content security policy, so neither scripts nor fonts are inlined. */
export default defineConfig({
  root: import.meta.dirname,
  base: "./",
  plugins: [lexerOnly, recordBundled("page")],
  oxc: { jsx: { runtime: "automatic", importSource: "#page" } },
  build: {
    outDir: "../dist/visualizer",
    emptyOutDir: true,
    target: ["chrome130", "firefox132", "safari18"],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 600,
  },
});
