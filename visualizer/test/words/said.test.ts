// What processes, checks and charts say, in the language of the page.
import { expect, test } from "vitest";
import { agentMachine, chartJson } from "../../../machines/index.ts";
import { SUSPICIONS } from "../../../src/inspect/suspicions/checks.ts";
import { inWords } from "../../src/words/said.ts";
import words from "../../src/words/zh-said.json" with { type: "json" };

const chinese = (text: string): string => inWords(text, words);

test("the purpose of each state of the agent and the title of each check have Chinese words", () => {
  const purposes = chartJson(agentMachine).nodes.flatMap(({ description = [] }) => description);
  const titles = SUSPICIONS.map(({ title }) => title);
  expect([...purposes, ...titles].filter((text) => !Object.hasOwn(words, text))).toEqual([]);
});

test.each([
  ["pay was called 14 times with the same arguments in turn 2.", "在第 2 轮中，pay 以相同参数被调用 14 次。"],
  [
    "The result of pay comes from the hook x10: the model read “12500”.",
    "pay 的结果来自钩子 x10：模型读到“12500”。",
  ],
  ["Turn 1 used 9 of 9 of its budget (model calls).", "第 1 轮已用预算 9 / 9（模型调用）。"],
  ["model calls used up", "模型调用已用尽"],
  ["approved by Ana, 14:03:22", "已批准，由Ana，14:03:22"],
  ["denied by a person, from the operator, 14:03:22", "已拒绝，由一个人（来自 operator），14:03:22"],
  ["denied by the rule 'once'", "被规则“once”拒绝"],
  ["arguments changed by the hook x10: {}", "参数被钩子 x10更改：{}"],
  ["tokens 85 % used", "词元已用 85 %"],
  [
    "Tool 'pay' needs an approval, because its own `permission` asks.",
    "工具“pay”需要批准，因为它自己的 `permission` 要求询问。",
  ],
])("“%s” is told in Chinese with its values", (english, expected) => {
  expect(chinese(english)).toBe(expected);
});

test("a text of a tool that resembles a label, and one whose words are unknown, stays as it is", () => {
  for (const text of ["The bank failed.", "Pay $1 {} (constructor)", "constructor"])
    expect(chinese(text)).toBe(text);
});

test("each Chinese text has the values of the English one", () => {
  const count = (text: string): number => text.match(/\{[~\d]?\}/g)?.length ?? 0;
  expect(Object.entries(words).filter(([english, text]) => count(english) !== count(text))).toEqual([]);
});
