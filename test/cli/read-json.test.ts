// The JSON files of the command line: what is refused is told without a piece of the text, which may have secrets.
import { expect, test } from "vitest";
import { parseJson } from "../../src/cli/read-json.ts";

const SECRET = "kTv5Zq8Rw2Xy";
const TEXTS = [
  JSON.stringify({ store: `postgres://desk:${SECRET}@db/agents`, upTo: "ffffffff" }),
  JSON.stringify(
    { mcpServers: { a: { url: "http://a", headers: { authorization: SECRET } } } },
    undefined,
    2,
  ),
  JSON.stringify([{ tenant: "acme", token: SECRET }]),
  `token: ${SECRET}`,
];
const PIECES = Array.from({ length: SECRET.length - 2 }, (_, at) => SECRET.slice(at, at + 3));

/** The refusal of a text; undefined for JSON. */
function refusalOf(text: string): string | undefined {
  try {
    parseJson(text, "The file");
    return undefined;
  } catch (error) {
    expect(error).toMatchObject({ code: "config/invalid" });
    expect(error).not.toHaveProperty("cause");
    return (error as Error).message;
  }
}

test("no mistake in a text shows a piece of a secret", () => {
  const mistakes = TEXTS.flatMap((text) =>
    Array.from({ length: text.length }, (_, at) => [
      text.slice(0, at),
      text.slice(0, at) + text.slice(at + 1),
      ...["x", '"', ",", "\n", "\u0000"].map((mark) => text.slice(0, at) + mark + text.slice(at)),
    ]).flat(),
  );
  const refusals = mistakes.flatMap((text) => refusalOf(text) ?? []);
  expect(refusals.length).toBeGreaterThan(500);
  for (const refusal of refusals) {
    expect(refusal).toMatch(/^The file is not JSON: [^\n]{5,120}\.$/u);
    expect(PIECES.filter((piece) => refusal.includes(piece))).toEqual([]);
  }
});

test.each([
  [
    "[1 2]",
    "The file is not JSON: Expected ',' or ']' after array element in JSON at position 3 (line 1 column 4).",
  ],
  ["[abc]", "The file is not JSON: Unexpected token 'a'."],
  ["", "The file is not JSON: Unexpected end of JSON input."],
])("of %j is told what is wrong", (text, message) => expect(refusalOf(text)).toBe(message));

test("a byte order mark is not a mistake", () =>
  expect(parseJson('\uFEFF{"a":1}', "The file")).toEqual({ a: 1 }));
