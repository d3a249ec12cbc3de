// Requests after a restore in another process are the same bytes.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { scratch } from "../store/scratch.ts";
import type { Asking } from "./asker.ts";
import { modelRecordings } from "../fixtures/recordings/model-recordings.ts";

/** A loopback server that answers each request with this stream, and the texts of the requests. */
async function serving(answer: string) {
  const requests: string[] = [];
  const server = createServer(async (incoming, response) => {
    let text = "";
    for await (const piece of incoming) text += String(piece);
    requests.push(text);
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(answer);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { requests, baseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` };
}

async function run(asking: Asking): Promise<void> {
  const args = [
    "--conditions=agentchart-source",
    join(import.meta.dirname, "asker.ts"),
    JSON.stringify(asking),
  ];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] });
  expect(await once(child, "exit")).toEqual([0, null]);
}

/** Google's package makes up the ids of calls. */
const withoutMadeUpIds = (request: string): string =>
  request.replaceAll(/"id":"[\dA-Za-z]{16}"/g, '"id":"made up"');

test.each([
  ["anthropic", "anthropic", ["SIG1", "SIG2", "REDACTED"]],
  ["google", "gemini", ["TS0", "TS1"]],
  ["openai, responses", "responses", ["E1"]],
  ["openaiModel", "responses", ["E1"]],
])(
  "%s gets the same bytes from the process that restores a session as from one that never left it",
  async (provider, wire, data) => {
    const { requests, baseURL } = await serving(modelRecordings.find((each) => each.wire === wire)!.body);
    const [one, two] = [scratch(), scratch()];
    onTestFinished(() => [one, two].forEach(({ remove }) => remove()));
    await run({ provider, baseURL, dir: one.dir, does: "both" });
    const whole = requests.splice(0);
    await run({ provider, baseURL, dir: two.dir, does: "call" });
    await run({ provider, baseURL, dir: two.dir, does: "approve" });
    expect(requests.slice(0, 2).map(withoutMadeUpIds)).toEqual(whole.slice(0, 2).map(withoutMadeUpIds));
    for (const each of data) expect(requests[1]).toContain(each);
  },
);
