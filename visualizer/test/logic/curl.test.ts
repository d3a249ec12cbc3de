// Requests as commands of curl.
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { curlOf } from "../../src/logic/curl.ts";

/** The arguments that a shell passes to curl. */
function argumentsOf(command: string): readonly string[] {
  const script = `curl() { printf '%s\\0' "$@"; }\n${command}`;
  const output = execFileSync("/bin/sh", ["-c", script], {
    env: { OPENAI_API_KEY: "the key", HOME: "/root" },
  });
  return output.toString().split("\0").slice(0, -1);
}

const HOSTILE = 'it\'s $HOME `id` $(id) "quoted" \\ \n end';

test("a shell passes the URL, the headers and the body to curl as they are, and the key from its variable", () => {
  const command = curlOf({
    url: "https://models.test/v1/chat/completions?a='$HOME",
    headers: { authorization: "Bearer $OPENAI_API_KEY", "x-note": "it's `id`" },
    body: { messages: [{ role: "user", content: HOSTILE }] },
    notes: [],
  })!;
  expect(argumentsOf(command)).toEqual([
    "https://models.test/v1/chat/completions?a='$HOME",
    "-H",
    "authorization: Bearer the key",
    "-H",
    "x-note: it's `id`",
    "--data-raw",
    JSON.stringify({ messages: [{ role: "user", content: HOSTILE }] }),
  ]);
});

test("a request without a URL is not a command", () => {
  expect(curlOf({ headers: {}, body: {}, notes: [] })).toBeUndefined();
});
