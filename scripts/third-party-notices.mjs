/** Writes THIRD-PARTY-NOTICES: the packages of which dist/ holds parts, each with its license. `npm run build` runs it last. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const RULE = "-".repeat(80);

/** Packages that are published without a license file: another package of the same project has the text. */
const SAME_LICENSE = { "@hono/zod-openapi": "hono", "@hono/zod-validator": "hono" };

/** The text of the license that the package names, for packages that are published without it. */
const MIT = ({ author }) => `MIT License

Copyright (c) ${author.replace(/ <.*$/, "")}

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.`;
const WITHOUT_TEXT = { "@cfworker/json-schema": MIT };

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
  const texts = WITHOUT_TEXT[name]
    ? [WITHOUT_TEXT[name](about)]
    : licenseFiles(other ? join(root, "node_modules", other) : join(root, folder));
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
