import { createHash } from "node:crypto";
import { join } from "node:path";
import { defineConfig, type Plugin } from "vite";
import { lexerOnly } from "./lexer-only.ts";
import { WITHOUT_NODE } from "./page-config.ts";

/** Fonts of other scripts than Latin would make each file that is handed on three times as large; the system has fonts for them. */
const isLatin = (face: string): boolean =>
  !face.includes("unicode-range") || /U\+0000-00FF|U\+\?\?|U\+0-FF/i.test(face);

const ENTRY = "standalone";
/** What index.html names. */
const PARTS = ["src/styles/index.css", "src/main.tsx"];

const hash = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** Writes the page as one HTML file: a template into which a run is put. It loads nothing, and runs no script but its own. */
const oneFile: Plugin = {
  name: "one-file",
  enforce: "post",
  resolveId: (id) => (id === ENTRY ? `\0${ENTRY}` : undefined),
  load: (id) =>
    id === `\0${ENTRY}`
      ? PARTS.map((part) => `import ${JSON.stringify(join(import.meta.dirname, part))};`).join("\n")
      : undefined,
  generateBundle: {
    order: "post", // behind what Vite itself writes into chunks
    handler(_options, bundle) {
      let [script, style] = ["", ""];
      for (const [name, output] of Object.entries(bundle)) {
        if (output.type === "chunk") script += output.code;
        else if (name.endsWith(".css")) style += String(output.source);
        delete bundle[name];
      }
      script = script.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
      style = style.replaceAll(/@font-face\s*\{[^}]*\}/g, (face) => (isLatin(face) ? face : ""));
      const policy = [
        "default-src 'none'",
        `script-src ${hash(script)}`,
        `style-src ${hash(style)}`,
        "img-src data:",
        "font-src data:",
        "base-uri 'none'",
        "form-action 'none'",
      ].join("; ");
      const source = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="dark light">
<meta name="referrer" content="no-referrer">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>Agentchart</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<div id="root"></div>
<noscript>This page needs JavaScript.</noscript>
<!--run-->
<script type="module">${script}</script>
</body>
</html>
`;
      this.emitFile({ type: "asset", fileName: "standalone.html", source });
    },
  },
};

export default defineConfig({
  root: import.meta.dirname,
  base: "./",
  resolve: { alias: WITHOUT_NODE },
  plugins: [lexerOnly, oneFile],
  oxc: { jsx: { runtime: "automatic", importSource: "#page" } },
  build: {
    outDir: "../dist/visualizer",
    emptyOutDir: false,
    target: ["chrome130", "firefox132", "safari18"],
    assetsInlineLimit: 1_000_000,
    cssCodeSplit: false,
    modulePreload: false,
    chunkSizeWarningLimit: 1_500,
    rolldownOptions: { input: ENTRY, output: { codeSplitting: false } },
  },
});
