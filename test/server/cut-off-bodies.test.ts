// Requests whose body is cut off.
import { once } from "node:events";
import { connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { serve } from "agentchart/server";
import { openServer, TOKENS } from "./open-server.ts";

/** How the body of a request is broken, behind its headers. */
const BODIES: { readonly [what: string]: readonly [header: string, body: string] } = {
  "a size that is not a number": ["Transfer-Encoding: chunked", "zz\r\n{}\r\n0\r\n\r\n"],
  "a size that is too large": ["Transfer-Encoding: chunked", "FFFFFFFFFFFFFFFF1\r\n{}\r\n0\r\n\r\n"],
  "a size that is negative": ["Transfer-Encoding: chunked", "-1\r\n{}\r\n0\r\n\r\n"],
  "a chunk that is longer than its size": ["Transfer-Encoding: chunked", "1\r\n{}\r\n0\r\n\r\n"],
  "a long extension of a chunk": ["Transfer-Encoding: chunked", `2;${"x".repeat(20_000)}\r\n{}\r\n0\r\n\r\n`],
  "an end in the middle of a chunk": ["Transfer-Encoding: chunked", "ff\r\n{}"],
  "no last chunk": ["Transfer-Encoding: chunked", "2\r\n{}\r\n"],
  "an end before its length": ["Content-Length: 100", "{}"],
};
const ROUTES = [
  "/v1/sessions",
  "/v1/sessions/s/messages",
  "/v1/sessions/s/decisions",
  "/v1/sessions/s/chat",
  "/mcp",
];

test.each(Object.entries(BODIES))(
  "a body with %s is not logged as a failure of the server",
  async (_, [header, body]) => {
    const server = openServer();
    const { url, close } = await serve(server.app);
    onTestFinished(close);
    for (const route of ROUTES) {
      const socket = connect(Number(new URL(url).port), "127.0.0.1");
      const head = `POST ${route} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${TOKENS.acme}\r\nContent-Type: application/json\r\n${header}\r\n\r\n`;
      socket.on("error", () => {}).resume();
      socket.end(head + body);
      await once(socket, "close");
    }
    const answer = await fetch(`${url}/healthz`);
    expect(answer.status).toBe(200);
    await expect.poll(() => server.records.some(({ route }) => route === "/healthz")).toBe(true);
    expect(server.records.filter(({ status }) => status >= 500)).toEqual([]);
  },
);
