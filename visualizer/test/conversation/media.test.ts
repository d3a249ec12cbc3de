// Media in messages.
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { Media } from "../../src/conversation/media.tsx";
import { pictureType } from "../../src/logic/picture-type.ts";

const drawn = (type: string, source: object): string =>
  renderToStaticMarkup(createElement(Media, { block: { type, source } as never }));

test.each([
  ["image/png", "image/png"],
  ["IMAGE/JPG; q=1", "image/jpeg"],
  ["image/svg+xml", undefined],
  ["text/html", undefined],
  ['image/png" onerror="x', undefined],
  ["", undefined],
])("of the type %j the picture is shown as %j", (given, shown) => {
  expect(pictureType(given)).toBe(shown);
});

test("an image is drawn from its data, with its type and size", () => {
  const html = drawn("image", { type: "base64", mediaType: "image/png", data: "aGVsbG8gd29ybGQh" });
  expect(html).toContain('<img src="data:image/png;base64,aGVsbG8gd29ybGQh" alt="image: image/png, 12 B"');
});

test("an image whose address holds its data is drawn too", () => {
  const html = drawn("image", { type: "url", url: "data:image/PNG;name=a;base64,aGVsbG8=" });
  expect(html).toContain('<img src="data:image/png;base64,aGVsbG8="');
});

test.each([
  ["image", { type: "url", url: "data:image/svg+xml;base64,PHN2Zz4=" }],
  ["image", { type: "url", url: "data:text/html,<img>" }],
  ["image", { type: "url", url: { $blob: "x", length: 90_000, head: "data:image/png;base64,AAAA" } }],
  ["image", { type: "base64", mediaType: "image/svg+xml", data: "PHN2Zz4=" }],
  ["audio", { type: "base64", mediaType: "audio/wav", data: "AAAA" }],
  ["image", { type: "url", url: "https://example.test/a.png" }],
  ["image", { type: "url", url: "javascript:alert(1)" }],
  ["image", { type: "base64", mediaType: "image/png", data: { $blob: "x", length: 90_000, head: "AAAA" } }],
  ["image", { type: "base64", mediaType: 7, data: 7 }],
])("what is not a picture, or is not here, is named and not drawn: %s %j", (type, source) => {
  const html = drawn(type, source);
  expect(html).not.toContain("<img");
  expect(html).not.toContain('href="javascript');
  expect(html).toContain(type);
});
