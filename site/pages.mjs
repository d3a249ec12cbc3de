/** Writes the pages of the site from those of the repository and from the docstrings: nothing of them is kept in a second copy. Files and folders of the repository
 *  that a page links to become pages too, so that the site needs nothing but itself. */
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, extname, join, posix } from "node:path";
import { referencePages, writeReference } from "./reference.mjs";

const root = join(import.meta.dirname, "..");
const folder = join(import.meta.dirname, "build/pages");
const read = (path) => readFileSync(join(root, path), "utf8");

/** The pages of the repository. */
const SOURCES = ["*.md", "docs/**/*.md", "visualizer/README.md"];
const MEDIA = [".svg", ".png"];

/** Returns the page of the site for a file or a folder of the repository. */
function pageOf(path) {
  if (path === "README.md") return "readme.md";
  if (path.endsWith(".md")) {
    const page = path.replace(/^docs\//, "").replace(/(^|\/)README\.md$/, "$1index.md");
    return page === path && !page.includes("/") ? page.toLowerCase() : page;
  }
  return `source/${path.replaceAll(/[/.]/g, "-")}.md`;
}

/** The part of a text that is not a block of code, changed. */
const outsideCode = (text, change) =>
  text
    .split(/(^```[^]*?^```$)/m)
    .map((part, index) => (index % 2 === 1 ? part : change(part)))
    .join("");

const linked = new Set();

function targetOf(from, link) {
  const [, file, anchor = ""] = /^([^#]*)(#.*)?$/.exec(link);
  if (/^[a-z]+:/.test(link) || file === "") return link;
  const path = posix.join(posix.dirname(from), file).replace(/\/$/, "");
  if (MEDIA.includes(extname(path))) {
    cpSync(join(root, path), join(folder, "public/media", path.replaceAll("/", "-")));
    return `/media/${path.replaceAll("/", "-")}`;
  }
  const isFolder = statSync(join(root, path)).isDirectory();
  const page = isFolder && existsSync(join(root, path, "README.md")) ? `${path}/README.md` : path;
  if (!pages.includes(page)) linked.add(page);
  return `/${pageOf(page)
    .replace(/(^|\/)index\.md$/, "$1")
    .replace(/\.md$/, "")}${anchor}`;
}

const withLinks = (from, text) =>
  outsideCode(text, (part) =>
    part
      .replaceAll(/(\]\()([^)\s]+)(\))/g, (_, open, link, close) => open + targetOf(from, link) + close)
      .replaceAll(
        /((?:src|srcset)=")([^"]+)(")/g,
        (_, open, link, close) => open + targetOf(from, link) + close,
      ),
  );

function write(page, text) {
  const path = join(folder, page);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Leaves a page out of the search, where it would stand before those that explain it. */
const UNSEARCHED = "---\nsearch: false\n---\n\n";

/** A page that shows a file of the repository, or lists a folder. */
function sourcePage(path) {
  if (path.endsWith(".md")) return withLinks(path, read(path));
  if (!statSync(join(root, path)).isDirectory())
    return `${UNSEARCHED}# ${posix.basename(path)}\n\n\`${path}\` of the repository.\n\n\`\`\`\`${extname(path).slice(1)}\n${read(path)}\n\`\`\`\`\n`;
  const files = readdirSync(join(root, path), { withFileTypes: true }).filter((entry) => entry.isFile());
  const rows = files.map(({ name }) => `- [${name}](${targetOf("README.md", `${path}/${name}`)})`);
  return `${UNSEARCHED}# ${path}\n\n${rows.join("\n")}\n`;
}

const title = (path) => /^# (.+)$/m.exec(read(path))?.[1] ?? path;
const link = (path) =>
  `/${pageOf(path)
    .replace(/\.md$/, "")
    .replace(/(^|\/)index$/, "$1")}`;

/** The contents of the Chinese pages. */
const chineseSidebar = () => {
  const path = "docs/zh/README.md";
  const rows = [...read(path).matchAll(/^\| \[([^\]]+)\]\(([^)]+)\)/gm)];
  return [
    { text: "中文文档", link: link(path) },
    ...rows.map(([, text, file]) => ({ text, link: link(posix.join("docs/zh", file)) })),
  ];
};

/** The contents: the table of the guide and the list below it, as docs/guide/README.md has them. */
function sidebarOf() {
  const text = read("docs/guide/README.md");
  const items = (part) =>
    [...part.matchAll(/\[([^\]]+)\]\(([^)#]+\.md)\)/g)].map(([, name, file]) => ({
      text: name[0].toUpperCase() + name.slice(1),
      link: link(posix.join("docs/guide", file)),
    }));
  const [, table] = /^## The guide$([^]*?)^## /m.exec(text);
  const [, more] = /^## Beyond the guide$([^]*)/m.exec(text);
  const groups = more
    .split(/^- \*\*/m)
    .slice(1)
    .map((part) => {
      const [name, rest] = part.split("**");
      return { text: name, collapsed: true, items: items(rest) };
    });
  return [
    { text: "The guide", items: items(table) },
    ...groups,
    { text: "API", collapsed: true, items: referencePages },
    {
      text: "The project",
      collapsed: true,
      items: ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"].map(
        (path) => ({
          text: title(path),
          link: link(path),
        }),
      ),
    },
  ];
}

const pages = globSync(SOURCES, { cwd: root, exclude: ["**/node_modules/**", "docs/api/**"] }).map((path) =>
  path.replaceAll("\\", "/"),
);

export async function writePages() {
  rmSync(folder, { recursive: true, force: true });
  for (const path of pages) write(pageOf(path), withLinks(path, read(path)));
  for (const path of linked) write(pageOf(path), sourcePage(path));
  for (const path of [...pages, "llms.txt", "skills/agentchart/SKILL.md"])
    write(`public/${path}`, read(path));
  write("index.md", readFileSync(join(import.meta.dirname, "home.md"), "utf8"));
  await writeReference(folder);
  writeFileSync(
    join(folder, "sidebar.json"),
    JSON.stringify({ english: sidebarOf(), chinese: chineseSidebar() }),
  );
  return folder;
}
