// Results and names of tools of a server.
import { expect, test } from "vitest";
import { mcp } from "agentchart/mcp";
import { toOutcome } from "../../../src/kit/mcp/to-outcome.ts";
import { toolName } from "../../../src/kit/mcp/tool-name.ts";

test.each([
  ["files__", "read_file", "files__read_file"],
  ["files__", "../read file", "files_____read_file"],
  ["", "ä", "_"],
  ["s__", "x".repeat(61), `s__${"x".repeat(61)}`],
])("prefix %j and name %j make the name %j", (prefix, name, expected) => {
  expect(toolName(prefix, name)).toBe(expected);
});

test("a name of more than 64 characters keeps 55 and gets a hash of the whole", () => {
  const [one, other] = ["a", "b"].map((end) => toolName("s__", "x".repeat(70) + end));
  expect(one).toMatch(/^s__x{52}_[\da-f]{8}$/);
  expect(other).not.toBe(one);
});

const text = (value: string) => ({ type: "text", text: value });
const image = { type: "image", source: { type: "base64", mediaType: "image/png", data: "AA==" } };

test.each([
  ["text", text("hi"), text("hi")],
  ["an image", { type: "image", mimeType: "image/png", data: "AA==" }, image],
  ["a resource with text", { type: "resource", resource: { uri: "a:b", text: "hi" } }, text("[a:b]\nhi")],
  [
    "a resource that is an image",
    { type: "resource", resource: { uri: "a:b", mimeType: "image/png", blob: "AA==" } },
    image,
  ],
  [
    "another resource",
    { type: "resource", resource: { uri: "a:b", mimeType: "a/zip", blob: "AA==" } },
    text("[Binary resource a/zip a:b, 1 bytes]"),
  ],
  [
    "a link",
    { type: "resource_link", name: "n", uri: "a:b", mimeType: "a/zip" },
    text("[Resource n: a:b a/zip]"),
  ],
])("%s becomes a block", (_what, content, block) => {
  expect(toOutcome({ content: [content] })).toEqual({ output: [block] });
});

test("a result without content is ok, and none at all is an error", () => {
  expect(toOutcome({ content: [] })).toEqual({ output: [text("ok")] });
  expect(toOutcome(null)).toEqual({
    output: [text("Error: MCP tool returned null result")],
    state: "error",
  });
});

test("an error is an error result with its text", () => {
  expect(toOutcome({ isError: true, content: [text("a"), text("b")] })).toEqual({
    output: [text("Error: a\nb")],
    state: "error",
  });
  expect(toOutcome({ isError: true, content: [] }).output).toEqual([text("Error: Unknown error")]);
});

test("structured content is metadata, and the text if there is no other", () => {
  const structuredContent = { a: 1 };
  const metadata = { structuredContent };
  expect(toOutcome({ structuredContent })).toEqual({ output: [text('{"a":1}')], metadata });
  expect(toOutcome({ structuredContent, content: [text("a")] })).toEqual({ output: [text("a")], metadata });
  const content = [{ type: "image", mimeType: "image/png", data: "AA==" }];
  expect(toOutcome({ structuredContent, content }).output).toEqual([image, text('{"a":1}')]);
  expect(toOutcome({ structuredContent: { content }, content }).output).toEqual([image]);
});

test("what is for the user only is metadata", () => {
  const secret = { ...text("s"), annotations: { audience: ["user"] } };
  expect(toOutcome({ content: [secret, text("a")] })).toEqual({
    output: [text("a")],
    metadata: { forUser: [secret] },
  });
});

test.each([
  [{}, "give `command` (a program) or `url` (an address), and not both"],
  [{ command: "a", url: "http://a" }, "and not both"],
  [{ command: "a", headers: {} }, "`headers` goes with `url` only"],
  [{ url: "http://a", args: [] }, "`args` goes with `command` only"],
])("options %j are refused", async (options, message) => {
  await expect(mcp(options)).rejects.toMatchObject({
    code: "config/invalid",
    message: expect.stringContaining(message) as string,
  });
});
