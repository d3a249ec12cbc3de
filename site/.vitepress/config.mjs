import { readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitepress";

const sidebar = JSON.parse(readFileSync(join(import.meta.dirname, "../build/pages/sidebar.json"), "utf8"));

/** The anchor that GitHub makes of a heading, since the links of the pages are checked with it. */
const slugify = (title) =>
  title
    .trim()
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, "")
    .replaceAll(" ", "-");

export default defineConfig({
  title: "Agentchart",
  description:
    "A tool-calling agent as one statechart: kill its process at any instant, and another goes on.",
  srcDir: "build/pages",
  srcExclude: ["public/**"],
  outDir: "dist",
  cacheDir: "build/cache",
  head: [["link", { rel: "icon", href: "data:," }]],
  markdown: { anchor: { slugify }, theme: { light: "github-light-high-contrast", dark: "github-dark" } },
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    nav: [
      { text: "Guide", link: "/guide/getting-started" },
      { text: "Proofs", link: "/proofs" },
      { text: "Deploy", link: "/deploy" },
      { text: "Options", link: "/options" },
    ],
    sidebar,
  },
});
