/** Writes THIRD-PARTY-NOTICES: the packages of which dist/ holds parts, each with its license. `npm run build` runs it last. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const RULE = "-".repeat(80);

/** Packages that are published without a license file: another package of the same project has the text. */
const SAME_LICENSE = { "@hono/zod-openapi": "hono", "@hono/zod-validator": "hono" };

/** The folders of the bundled packages, as record-bundled.mjs wrote them while `dist/` was built. */
const folders = ["package", "tokenizer", "page", "chat"].flatMap((name) =>
  JSON.parse(readFileSync(join(root, "build/bundled", `${name}.json`), "utf8")),
);

const licenseFiles = (folder) =>
  readdirSync(folder)
    .filter((file) => /^(licen[cs]e|copying|notice)/i.test(file))
    .toSorted()
    .map((file) => readFileSync(join(folder, file), "utf8").trim());

function noticeOf(folder) {
  const about = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
  const { name, version, license, repository } = about;
  const other = SAME_LICENSE[name];
  const texts = licenseFiles(other ? join(root, "node_modules", other) : join(root, folder));
  if (!license || texts.length === 0)
    throw new Error(`${name} is bundled, but has no license file: ${folder}`);
  const source = repository.url ?? repository;
  return { name, text: [RULE, `${name} ${version} (${license})`, source, "", ...texts, ""].join("\n") };
}

const notices = [...new Set(folders)].map(noticeOf).toSorted((a, b) => (a.name < b.name ? -1 : 1));
const head =
  "Agentchart is distributed with parts of the following packages, each under its own license.\n" +
  "The source of each is in its repository and in the npm registry.\n";
writeFileSync(join(root, "THIRD-PARTY-NOTICES"), [head, ...notices.map(({ text }) => text)].join("\n"));
console.log(`THIRD-PARTY-NOTICES names ${notices.length} packages.`);
