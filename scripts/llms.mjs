/** Makes llms.txt: the pages of the documentation for programs that read them, each with its title and its first sentence. */
import { readFileSync } from "node:fs";
import { join, posix } from "node:path";

const root = join(import.meta.dirname, "..");
const read = (path) => readFileSync(join(root, path), "utf8");

/** A text without the marks of Markdown. */
const plain = (text) =>
  text
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/[*`]/g, "")
    .replaceAll(/\s+/g, " ")
    .trim();

/** The first sentence of the first paragraph of a page. */
function firstSentence(text) {
  const paragraph = text
    .split(/\n{2,}/)
    .map((part) => part.trim())
    .find((part) => /^[\p{L}`*[]/u.test(part) && !/^(?:```|Whole files?:)/.test(part));
  return /^.*?(?:[.:](?= \p{Lu}|$)|。)/u.exec(plain(paragraph ?? ""))?.[0].replace(/:$/, ".") ?? "";
}

function line(path) {
  const text = read(path);
  const [, title] = /^# (.+)$/m.exec(text);
  return `- [${plain(title)}](${path}): ${firstSentence(text)}`;
}

/** The pages that a part of docs/guide/README.md links to, each once. */
const linkedIn = (part, seen) =>
  [...part.matchAll(/\]\(([^)#]+\.md)(?:#[^)]*)?\)/g)]
    .map(([, file]) => posix.join("docs/guide", file))
    .filter((path) => !seen.has(path) && seen.add(path));

/** Returns the text of llms.txt. */
export function llmsText() {
  const guide = read("docs/guide/README.md");
  const [, , table, more] = guide.split(/^## .*$/m);
  const seen = new Set();
  const sections = [`## The guide\n\n${linkedIn(table, seen).map(line).join("\n")}`];
  for (const part of more.split(/^- \*\*/m).slice(1)) {
    const paths = linkedIn(part, seen);
    if (paths.length > 0) sections.push(`## ${part.split("**")[0]}\n\n${paths.map(line).join("\n")}`);
  }
  const others = linkedIn(guide, seen);
  sections.push(
    `## Optional\n\n${[...others, "skills/agentchart/SKILL.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].map(line).join("\n")}`,
  );
  const [, about] = read("README.md").split(/\n{2,}/);
  return `# Agentchart\n\n> ${plain(about)}\n\n${sections.join("\n\n")}\n`;
}
