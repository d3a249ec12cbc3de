import { readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitepress";
import { tokenize } from "./tokenize.mjs";

const { english, chinese } = JSON.parse(
  readFileSync(join(import.meta.dirname, "../build/pages/sidebar.json"), "utf8"),
);

/** The anchor that GitHub makes of a heading, since the links of the pages are checked with it. */
const slugify = (title) =>
  title
    .trim()
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, "")
    .replaceAll(" ", "-");

/** Makes a plain cell of a heading without text, as that over the names of rows is: nothing is named by it. */
const withoutEmptyHeadings = (md) =>
  md.core.ruler.push("empty_headings", ({ tokens }) => {
    for (const [at, { type }] of tokens.entries())
      if (type === "th_open" && tokens[at + 1].content === "")
        for (const cell of [tokens[at], tokens[at + 2]]) cell.tag = "td";
  });

export default defineConfig({
  title: "Agentchart",
  description:
    "A tool-calling agent as one statechart: kill its process at any instant, and another goes on.",
  srcDir: "build/pages",
  srcExclude: ["public/**"],
  outDir: "dist",
  cacheDir: "build/cache",
  head: [["link", { rel: "icon", href: "data:," }]],
  markdown: {
    anchor: { slugify },
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    config: withoutEmptyHeadings,
  },
  locales: {
    root: { label: "English", lang: "en" },
    zh: {
      label: "中文",
      lang: "zh-CN",
      title: "Agentchart",
      description: "一个会调用工具的智能体就是一张状态图：随时杀掉它的进程，另一个进程会接着做下去。",
      themeConfig: {
        nav: [
          { text: "入门", link: "/zh/start" },
          { text: "状态图", link: "/zh/chart" },
          { text: "迁移", link: "/zh/migration" },
        ],
        sidebar: chinese,
        outline: { level: [2, 3], label: "本页内容" },
        docFooter: { prev: "上一页", next: "下一页" },
        sidebarMenuLabel: "目录",
        returnToTopLabel: "回到顶部",
        darkModeSwitchLabel: "外观",
        langMenuLabel: "语言",
        skipToContentLabel: "跳到正文",
      },
    },
  },
  themeConfig: {
    i18nRouting: false, // few pages are in both languages
    search: {
      provider: "local",
      options: {
        miniSearch: { options: { tokenize } },
        locales: {
          zh: {
            translations: {
              button: { buttonText: "搜索", buttonAriaLabel: "搜索" },
              modal: {
                displayDetails: "显示详情",
                resetButtonTitle: "清空",
                backButtonTitle: "返回",
                noResultsText: "没有找到",
                footer: { selectText: "打开", navigateText: "移动", closeText: "关闭" },
              },
            },
          },
        },
      },
    },
    outline: [2, 3],
    nav: [
      { text: "Guide", link: "/guide/getting-started" },
      { text: "Proofs", link: "/proofs" },
      { text: "Deploy", link: "/deploy" },
      { text: "API", link: "/api/" },
    ],
    sidebar: english,
  },
});
