// Each text of the pages is in the catalogue, in English and Chinese.
import { globSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { parseSync, Visitor } from "vite";
import { expect, test } from "vitest";
import zh from "../../src/words/zh.json" with { type: "json" };
import { t } from "../../src/words/t.ts";

const PAGES = join(import.meta.dirname, "../..");
/** The attributes that are read or spoken. */
const SPOKEN = new Set(["title", "label", "placeholder", "alt", "aria-label", "aria-description", "what"]);
/** What is typed or pressed is the same in every language. */
const NAMES = new Set(["code", "kbd"]);
const HAS_WORD = /[A-Za-z]{2,}/;

type Found = { readonly keys: Set<string>; readonly all: Set<string>; readonly bare: readonly string[] };

/** The texts that pass through `t`, all literals, and texts of elements that do not pass through it. */
function textsOf(): Found {
  const [keys, all, bare]: [Set<string>, Set<string>, string[]] = [new Set(), new Set(), []];
  for (const file of globSync(["src/**/*.{ts,tsx}", "chat/*.tsx"], { cwd: PAGES })) {
    const source = readFileSync(join(PAGES, file), "utf8");
    const isNamed: boolean[] = [];
    const say = (text: string): void =>
      void bare.push(`${relative(PAGES, join(PAGES, file))}: ${text.trim()}`);
    new Visitor({
      Literal: ({ value }) => void (typeof value === "string" && all.add(value)),
      CallExpression: ({ callee, arguments: [first] }) => {
        if (callee.type === "Identifier" && callee.name === "t" && first?.type === "Literal")
          keys.add(String(first.value));
      },
      TaggedTemplateExpression: ({ tag, quasi }) => {
        if (tag.type === "Identifier" && tag.name === "t")
          keys.add(quasi.quasis.map(({ value }) => value.cooked).join("{}"));
      },
      JSXElement: ({ openingElement: { name } }) =>
        void isNamed.push(name.type === "JSXIdentifier" && NAMES.has(name.name)),
      "JSXElement:exit": () => void isNamed.pop(),
      JSXText: ({ value }) => void (HAS_WORD.test(value) && !isNamed.at(-1) && say(value)),
      JSXAttribute: ({ name, value }) => {
        if (name.type !== "JSXIdentifier" || !SPOKEN.has(name.name)) return;
        if (value?.type === "Literal" && HAS_WORD.test(value.value)) say(value.value);
      },
    }).visit(parseSync(file, source).program);
  }
  return { keys, all, bare };
}

const { keys, all, bare } = textsOf();

test("every text of an element and every spoken attribute of the pages comes from the catalogue", () => {
  expect(bare).toEqual([]);
});

test("Chinese has a text for each English one, with the same values in it, and none that nothing shows", () => {
  expect([...keys].filter((key) => !Object.hasOwn(zh, key))).toEqual([]);
  expect(Object.keys(zh).filter((key) => !keys.has(key) && !all.has(key))).toEqual([]);
  const values = (text: string): number => text.match(/\{\d?\}/g)?.length ?? 0;
  expect(Object.entries(zh).filter(([english, chinese]) => values(english) !== values(chinese))).toEqual([]);
});

test("a text in English is what the source says, whatever its values contain", () => {
  expect(t("constructor")).toBe("constructor");
  expect(t`step ${3} of ${"{}"}`).toBe("step 3 of {}");
});
