// The search of the site splits texts into words: English by spaces and punctuation, Chinese by each two characters.
import { runInThisContext } from "node:vm";
import { expect, test } from "vitest";
import { tokenize } from "../../site/.vitepress/tokenize.mjs";

/** As VitePress sends it to the page: the source alone. */
const sent = runInThisContext(`(${tokenize.toString()})`) as typeof tokenize;

test.each([
  ["Open the store, then close it.", ["Open", "the", "store", "then", "close", "it"]],
  ["打开数据库", ["打开", "开数", "数据", "据库"]],
  ["会话，租约", ["会话", "租约"]],
  ["用fileStore保存", ["用", "fileStore", "保存"]],
  ["库", ["库"]],
  ["  \n", []],
])("%j is searched by %j", (text, words) => {
  expect(tokenize(text)).toEqual(words);
  expect(sent(text)).toEqual(words);
});
