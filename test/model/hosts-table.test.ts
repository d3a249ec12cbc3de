// The page about models shows the rules of each host.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { DialectName, HostRules } from "../../src/core/model/host-rules.ts";
import { dialectOfServer, DIALECT_NAMES, HOSTS } from "../../src/core/model/hosts.ts";

const page = readFileSync(join(import.meta.dirname, "../../docs/models.md"), "utf8");

function idsOf({ ids }: HostRules): string {
  if (ids.exactly !== undefined) return `${ids.exactly} letters and digits`;
  const form = ids.form === "word" ? "letters, digits, `_`, `-`" : "any";
  return ids.most === undefined ? form : `${form}, at most ${ids.most}`;
}

function marksOf({ order, schema, tools, thinking }: HostRules): string {
  const marks = [
    ["R", !order.userAfterResults],
    ["A", !order.answerAtEnd && !order.answerAtStart],
    ["E", !order.emptyTexts],
    ["T", schema.isTyped],
    ["S", schema.hasStringEnums],
    ["P", !schema.hasPatterns],
    ["K", schema.keys !== undefined],
    ["N", !tools.names.test("1")],
    ["C", !tools.hasNamedChoice],
    ["H", thinking.isNeeded],
  ] as const;
  return marks.flatMap(([mark, isSet]) => (isSet ? [mark] : [])).join(" ");
}

function cellsOf(name: DialectName): readonly string[] {
  const rules = HOSTS[name];
  const { most, description } = rules.tools;
  return [
    idsOf(rules),
    String(most ?? "?"),
    description === undefined ? "?" : description.toLocaleString("en"),
    rules.thinking.isSent ? `\`${rules.thinking.field}\`` : "left out",
    marksOf(rules),
  ];
}

const rows = page
  .split("\n")
  .filter((line) => line.startsWith("| `"))
  .map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
  .filter(([name]) => DIALECT_NAMES.includes(name!.slice(1, -1) as DialectName));

test("docs/models.md shows the rules of each host", () => {
  const shown = rows.map(([name, , ...cells]) => [name!.slice(1, -1), ...cells]);
  expect(shown).toEqual(DIALECT_NAMES.map((name) => [name, ...cellsOf(name)]));
});

test("docs/models.md shows by which server each host is recognised", () => {
  for (const [name, server] of rows) {
    const names = Array.from(server!.matchAll(/`([^`]+)`/g), ([, found]) => found!);
    const dialect = name!.slice(1, -1) as DialectName;
    expect(names.length > 0, dialect).toBe(HOSTS[dialect].servers !== undefined);
    for (const each of names) expect(dialectOfServer(each, "m")).toBe(dialect);
  }
});
