import { defineConfig } from "vite";
import { recordBundled } from "../scripts/record-bundled.mjs";
import { lexerOnly } from "./lexer-only.ts";

/** A page under a strict policy: nothing is inlined, neither scripts nor fonts. */
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
