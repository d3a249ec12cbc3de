// Differences of files in a card.
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { FileDiff } from "../../src/conversation/file-diff.tsx";

const shown = (diff: unknown): string => renderToStaticMarkup(createElement(FileDiff, { diff }));

test("a difference is shown line by line, as text, and by its beginning if it is long", () => {
  const short = shown({ path: "a", hunks: [{ newStart: 3, lines: [" same", "-<b>old", "+new"] }] });
  expect(short).toContain('<span data-line="place">@ line 3');
  expect(short).toContain('<span data-line="same"> same');
  expect(short).toContain('<span data-line="removed">-&lt;b&gt;old');
  expect(short).toContain('<span data-line="added">+new');
  const long = shown({ hunks: [{ newStart: 1, lines: Array.from({ length: 50 }, () => "+x") }] });
  expect(long).toContain("show all 51 lines");
  expect(long.match(/\+x/gu)).toHaveLength(19);
});

test("what is not a difference is not shown", () => {
  for (const wrong of [undefined, null, 7, {}, { hunks: 3 }, { hunks: [null, { lines: 1 }] }])
    expect(shown(wrong)).toBe("");
});
