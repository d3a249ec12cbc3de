// Markdown is shown safely.
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { Markdown } from "../../src/conversation/markdown.tsx";

const html = (text: string): string => renderToStaticMarkup(createElement(Markdown, { text }));

test("Markdown renders headings, lists, tables and code", () => {
  const rendered = html("# Title\n\n- one **two**\n- `three`\n\n| a |\n|---|\n| 1 |\n\n```ts\nx < 1\n```");
  expect(rendered).toContain("Title</span>");
  expect(rendered).toContain("<strong>");
  expect(rendered).toContain("<table>");
  expect(rendered).toContain("x &lt; 1");
});

test("Markdown renders no element that runs code, loads or sends anything", () => {
  const hostile = [
    "<img src=x onerror=alert(1)>",
    "<script>alert(1)</script>",
    "![beacon](http://evil.test/?d=1)",
    "[click](javascript:alert(1))",
    "<iframe src='http://evil.test'></iframe>",
    "[ref]: http://evil.test\n![x][ref]",
    '<a href="http://evil.test" onmouseover="x()">a</a>',
  ].join("\n\n");
  const rendered = html(hostile);
  expect(rendered).not.toMatch(/<(img|script|iframe|object|embed|form|style|svg|link|base)\b/i);
  expect(rendered).not.toMatch(/href="(?!https?:)/);
  expect(rendered).not.toMatch(/<[^>]+\son\w+=/);
  expect(rendered).toContain("evil.test");
  expect(rendered).toMatch(/<a [^>]*rel="noopener noreferrer nofollow"/);
});
