// Elements show hidden characters.
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { Fragment, jsx, jsxDEV, jsxs } from "../../src/parts/jsx-runtime.ts";

const HOSTILE = "a\u202Eb\u{E0041}";
const SEEN = "a⟨U+202E⟩b⟨U+E0041⟩";

test("jsx makes hidden characters visible in children and text attributes", () => {
  const names = { title: HOSTILE, placeholder: HOSTILE, "aria-label": HOSTILE, "aria-valuetext": HOSTILE };
  expect(renderToStaticMarkup(jsx("p", { ...names, children: HOSTILE }))).toBe(
    `<p title="${SEEN}" placeholder="${SEEN}" aria-label="${SEEN}" aria-valuetext="${SEEN}">${SEEN}</p>`,
  );
  const words = ["x ", HOSTILE, [HOSTILE, 1], jsx("b", { children: HOSTILE }, "b")];
  for (const element of [jsxs("p", { children: words }), jsxDEV("p", { children: words }, undefined, true)])
    expect(renderToStaticMarkup(element)).toBe(`<p>x ${SEEN}${SEEN}1<b>${SEEN}</b></p>`);
  expect(renderToStaticMarkup(jsx(Fragment, { children: HOSTILE }))).toBe(SEEN);
});

test("jsx does not change the value of fields or the props of components", () => {
  expect(renderToStaticMarkup(jsx("input", { defaultValue: HOSTILE }))).toContain(HOSTILE);
  const Part = ({ text }: { text: string }) => createElement("i", null, String(text.length));
  expect(renderToStaticMarkup(jsx(Part, { text: HOSTILE }))).toBe("<i>5</i>");
});
