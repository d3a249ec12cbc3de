// Backticks in texts of processes.
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { WithCode } from "../../src/parts/with-code.tsx";

test.each([
  ["its own `permission` asks", "its own <code>permission</code> asks"],
  ["a ` alone", "a ` alone"],
  ["`<b>` and text", "<code>&lt;b&gt;</code> and text"],
])("%s is shown with code where two backticks are around it", (text, html) => {
  expect(renderToStaticMarkup(createElement(WithCode, { text }))).toBe(html);
});
