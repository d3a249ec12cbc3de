// Each text of the pages is in the catalogue, in English and Chinese.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "vite";
import { expect, test } from "vitest";
import zh from "../../src/words/zh.json" with { type: "json" };
import { t } from "../../src/words/t.ts";

const PAGES = join(import.meta.dirname, "../..");
/** The attributes and properties that are read or spoken. */
const SPOKEN = /^(?:title|label|placeholder|alt|what|aria-(?:label|description|valuetext|roledescription))$/;
/** What names something in the page itself, so that nobody reads it. */
const NAMES = /^(?:id|key|className|transform|style|class|rel|font|[A-Z_]*FONT|AGENT_MESSAGE)$/;
/** What is typed or pressed, and how a program is called, is the same in every language. */
const TYPED = /^(?:code|kbd)$/;
const CODE = /^(?:curl |npx |Bearer |--|<|const |translate\(|\d{3} | data-|[a-z:]+:|\{\} (?:ms|kB|MB)$)/;
const HAS_WORD = /[A-Za-z]{2,}/;
/** More than one word, or a word beside a value. */
const IS_PROSE = /[A-Za-z{}] +[A-Za-z{}]|^ |[A-Za-z] $/;

type Node = { readonly type: string; readonly [part: string]: unknown };
type Place = { readonly isShown: boolean; readonly isName: boolean };

const [keys, all, bare]: [Set<string>, Set<string>, string[]] = [new Set(), new Set(), []];
const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as Node).type === "string";
const nameOf = (node: unknown): string => String((isNode(node) && (node["name"] ?? node["value"])) ?? "");
const textOf = (template: unknown): string =>
  (template as { quasis: { value: { cooked: string } }[] }).quasis
    .map(({ value }) => value.cooked)
    .join("{}");

/** Collects the texts that pass through `t`, all literals, and the texts that people read and that do not pass through it. */
function collect(file: string, node: Node, { isShown, isName }: Place): void {
  const inside = (part: unknown, place: Partial<Place> = {}): void => {
    for (const each of Array.isArray(part) ? (part as readonly unknown[]) : [part])
      if (isNode(each)) collect(file, each, { isShown: false, isName, ...place });
  };
  const say = (text: string): void => {
    if (isName || CODE.test(text) || !HAS_WORD.test(text.replaceAll("{}", " "))) return;
    if (isShown || IS_PROSE.test(text)) bare.push(`${file}: ${text.trim()}`);
  };
  const { type } = node;
  if (type.startsWith("TS") && !("expression" in node)) return;
  if (/^(?:Import|ExportAll)/.test(type)) return;
  if (type === "Literal" && typeof node["value"] === "string") {
    all.add(node["value"]);
    say(node["value"]);
  } else if (type === "TemplateLiteral") {
    say(textOf(node));
    inside(node["expressions"], { isShown });
  } else if (type === "TaggedTemplateExpression" && nameOf(node["tag"]) === "t") {
    keys.add(textOf(node["quasi"]));
    inside((node["quasi"] as Node)["expressions"], { isShown: true });
  } else if (type === "CallExpression" && nameOf(node["callee"]) === "t") {
    for (const text of literalsOf((node["arguments"] as Node[])[0]!)) keys.add(text);
  } else if (type === "JSXText") {
    if (!isName && HAS_WORD.test(nameOf(node))) bare.push(`${file}: ${nameOf(node).trim()}`);
  } else if (type === "JSXElement") {
    const isTyped = TYPED.test(nameOf((node["openingElement"] as Node)["name"]));
    inside(node["openingElement"]);
    inside(node["children"], { isShown: true, isName: isTyped });
  } else if (type === "JSXFragment") inside(node["children"], { isShown: true });
  else if (type === "JSXAttribute") {
    const name = nameOf(node["name"]);
    inside(node["value"], {
      isShown: SPOKEN.test(name),
      isName: !SPOKEN.test(name) && !/^on[A-Z]/.test(name),
    });
  } else if (type === "Property") {
    const name = nameOf(node["key"]);
    all.add(name);
    inside(node["value"], { isShown: SPOKEN.test(name), isName: NAMES.test(name) });
  } else if (type === "ObjectExpression") {
    const values = (node["properties"] as Node[]).map(({ value }) => value).filter(isNode);
    const texts = values.filter(({ callee }) => nameOf(callee) === "t");
    const bareOnes = values.filter((each) => each.type === "Literal");
    inside(node["properties"]);
    if (texts.length > bareOnes.length) inside(bareOnes, { isShown: true });
  } else if (type === "VariableDeclarator") inside(node["init"], { isName: NAMES.test(nameOf(node["id"])) });
  else if (type === "ConditionalExpression") {
    inside(node["test"]);
    inside([node["consequent"], node["alternate"]], { isShown });
  } else if (type === "LogicalExpression") {
    inside(node["left"], { isShown: isShown && node["operator"] !== "&&" });
    inside(node["right"], { isShown });
  } else if (type === "CallExpression" && nameOf((node["callee"] as Node)["property"]) === "join")
    for (const part of [(node["callee"] as Node)["object"], node["arguments"]]) inside(part, { isShown });
  else if (/^(?:JSXExpressionContainer|TSAsExpression|ArrayExpression|SpreadElement)$/.test(type))
    inside(node["expression"] ?? node["elements"] ?? node["argument"], { isShown });
  else for (const part of Object.values(node)) inside(part);
}

/** The texts that an argument of `t` may be. */
function literalsOf(node: Node): readonly string[] {
  if (node.type === "Literal") return [String(node["value"])];
  if (node.type !== "ConditionalExpression") return [];
  return [node["consequent"], node["alternate"]].flatMap((each) => literalsOf(each as Node));
}

for (const file of globSync(["src/**/*.{ts,tsx}", "chat/*.tsx"], { cwd: PAGES })) {
  const { program } = parseSync(file, readFileSync(join(PAGES, file), "utf8"));
  collect(file, program as unknown as Node, { isShown: false, isName: false });
}

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
