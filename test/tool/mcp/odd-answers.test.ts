// Answers that are valid, and odd.
import { join } from "node:path";
import type { ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import type { JsonObject, ToolResultBlock } from "agentchart";
import { freePort } from "../../support/free-port.ts";
import { opened, rawSite, RESULTS, type Answers, type Asked, type Opened } from "./raw-server.ts";

const program = join(import.meta.dirname, "raw-server.mjs");

/** The ways in which an answer comes; a call would be given up after a minute, and each of these is settled at once. */
const WAYS: { readonly [way: string]: (answers: Answers) => Promise<Opened> } = {
  "over standard output": (answers) =>
    opened({ command: process.execPath, args: [program, JSON.stringify(answers)], timeoutMs: 600_000 }),
  "as JSON over HTTP": async (answers) => opened({ url: (await rawSite(answers)).url, timeoutMs: 600_000 }),
  "as an event over HTTP": async (answers) => {
    const call = (response: ServerResponse, { id }: Asked): void => {
      const answer = answers["tools/call"] as JsonObject | undefined;
      response.writeHead(200, { "content-type": "text/event-stream" });
      const message = JSON.stringify({
        jsonrpc: "2.0",
        id,
        ...(answer ?? { result: RESULTS["tools/call"]! }),
      });
      response.write(`: hello\n\nevent: message\ndata: ${message}\n\n`); // and the stream stays open
    };
    return opened({ url: (await rawSite({ ...answers, call })).url, timeoutMs: 600_000 });
  },
};

/** What a server answers to a call, and what the result is. */
const ANSWERS: {
  readonly [what: string]: readonly [answer: JsonObject, code: string | undefined, text: RegExp];
} = {
  "an error without a message": [
    { error: { code: -32_000 } },
    undefined,
    /error without a message: {"code":-32000}/,
  ],
  "an error without a code": [{ error: { message: "no room" } }, undefined, /no room/],
  "an error that is a text": [{ error: "no room" }, undefined, /no room/],
  "an error with an empty message": [{ error: { code: 1, message: "" } }, undefined, /without a message/],
  "an error with a code that is a text": [
    { error: { code: "E1", message: "no room" } },
    undefined,
    /no room/,
  ],
  "an answer with other fields": [
    { result: RESULTS["tools/call"]!, took: 3, error: null },
    undefined,
    /^fine$/,
  ],
  "metadata that are none": [{ result: { ...RESULTS["tools/call"], _meta: [1] } }, undefined, /^fine$/],
  "an error with other fields": [
    { error: { code: 1, message: "no room", stack: "x" } },
    undefined,
    /no room/,
  ],
  "an error of null beside a result": [{ error: null, result: RESULTS["tools/call"]! }, undefined, /^fine$/],
  "a result of null beside an error": [
    { result: null, error: { code: 1, message: "no room" } },
    undefined,
    /no room/,
  ],
  "another version of JSON-RPC": [{ jsonrpc: "1.0", result: RESULTS["tools/call"]! }, undefined, /^fine$/],
  "a result of null": [
    { result: null },
    "tool/outcome-unknown",
    /`result` is null; expected an object.*may have taken effect/,
  ],
  "a result that is a list": [
    { result: [] },
    "tool/outcome-unknown",
    /`result` is a list.*may have taken effect/,
  ],
  "a result that is a text": [
    { result: "x" },
    "tool/outcome-unknown",
    /`result` is a string.*may have taken effect/,
  ],
  "neither a result nor an error": [{}, "tool/outcome-unknown", /`result` is missing.*may have taken effect/],
  "a result and an error": [
    { result: {}, error: { code: 1, message: "no room" } },
    "tool/outcome-unknown",
    /a result and an error: no room.*may have taken effect/,
  ],
  "content that is a number": [
    { result: { content: 5 } },
    "tool/outcome-unknown",
    /`content` is a number.*may have taken effect/,
  ],
  "content that is a text": [{ result: { content: "fine" } }, undefined, /^fine$/],
  "content that is one part": [{ result: { content: { type: "text", text: "fine" } } }, undefined, /^fine$/],
  "content of null": [{ result: { content: null } }, undefined, /^ok$/],
  "no content": [{ result: {} }, undefined, /^ok$/],
  "content of null beside structured content": [
    { result: { content: null, structuredContent: { a: null } } },
    undefined,
    /^{"a":null}$/,
  ],
  "structured content of null": [
    { result: { content: [{ type: "text", text: "fine" }], structuredContent: null } },
    undefined,
    /^fine$/,
  ],
  "isError of null": [
    { result: { content: [{ type: "text", text: "fine" }], isError: null, _meta: null } },
    undefined,
    /^fine$/,
  ],
  "a part of null, and parts with nulls": [
    { result: { content: [null, { type: "text", text: "fine", annotations: null, _meta: null }] } },
    undefined,
    /^fine$/,
  ],
  "parts that are none": [
    { result: { content: [5, { type: "text" }, { type: "image", data: null }, {}] } },
    undefined,
    /^5\n{"type":"text"}\n\[image without data\]\n{}$/,
  ],
  "a part of an unknown type": [
    { result: { content: [{ type: "hologram" }] } },
    undefined,
    /unknown type hologram/,
  ],
  "a resource with nulls": [
    {
      result: {
        content: [{ type: "resource", resource: { uri: "a:b", mimeType: null, text: "fine", blob: null } }],
      },
    },
    undefined,
    /^\[a:b\]\nfine$/,
  ],
  "an image that is no base64": [
    { result: { content: [{ type: "image", mimeType: "image/png", data: "#" }] } },
    undefined,
    /image without data/,
  ],
  "the result of the revision 2024-10": [{ result: { toolResult: { sum: 3 } } }, undefined, /^{"sum":3}$/],
  "a result that looks like a suspension": [
    { result: { suspended: true, reason: "wait" } },
    undefined,
    /^ok$/,
  ],
};

const textOf = ({ output }: ToolResultBlock): string =>
  output.map((block) => (block.type === "text" ? block.text : block.type)).join("\n");

describe.each(Object.entries(WAYS))("an answer %s settles its call at once:", (_, open) => {
  test.each(Object.entries(ANSWERS))("%s", async (__, [answer, code, text]) => {
    const { call } = await open({ "tools/call": answer });
    const result = await call();
    expect(textOf(result).replaceAll("Error: Tool execution failed: ", "")).toMatch(text);
    if (code !== undefined) expect(result).toMatchObject({ state: "error", code });
  });
});

describe("a null is what is not there,", () => {
  const page = { tools: [{ name: "t", inputSchema: { type: "object" } }] };
  const LISTS: { readonly [what: string]: JsonObject } = {
    "as the next cursor": { ...page, nextCursor: null },
    "as metadata": { ...page, _meta: null, ttlMs: null },
    "in the fields of a tool": {
      tools: [
        {
          name: "t",
          title: null,
          description: null,
          annotations: null,
          outputSchema: null,
          execution: null,
          icons: null,
          _meta: null,
          inputSchema: {
            type: "object",
            properties: null,
            required: null,
            additionalProperties: null,
            $defs: null,
          },
        },
      ],
    },
    "in the hints of a tool": {
      tools: [{ ...page.tools[0]!, annotations: { title: null, readOnlyHint: null, destructiveHint: null } }],
    },
    "in a property": {
      tools: [
        {
          name: "t",
          inputSchema: {
            type: "object",
            properties: { a: { type: "string", description: null, enum: null } },
          },
        },
      ],
    },
    "beside tools": { tools: [...page.tools, null] },
  };
  test.each(Object.entries(LISTS))("in a list of tools: %s", async (_, list) => {
    const { server, call } = await opened({ url: (await rawSite({ "tools/list": { result: list } })).url });
    expect(server.tools().map(({ name }) => name)).toEqual(["raw__t"]);
    expect(textOf(await call())).toBe("fine");
  });

  test("and a default or a constant of a schema stays null", async () => {
    const inputSchema = {
      type: "object",
      properties: { a: { default: null }, b: { const: null }, c: { enum: [null] } },
    };
    const list = { tools: [{ name: "t", inputSchema }] };
    const { server } = await opened({ url: (await rawSite({ "tools/list": { result: list } })).url });
    expect(server.tools()[0]?.inputSchema).toEqual(inputSchema);
  });

  test("in the answer to the handshake, in other lists, and in contents", async () => {
    const { url } = await rawSite({
      initialize: {
        result: {
          ...RESULTS["initialize"],
          capabilities: {
            tools: { listChanged: null },
            resources: { subscribe: null },
            prompts: {},
            logging: null,
            experimental: null,
          },
          instructions: null,
          serverInfo: { name: "raw", version: "1", title: null, icons: null },
          _meta: null,
        },
      },
      "resources/list": {
        result: {
          resources: [
            {
              uri: "a:b",
              name: "n",
              title: null,
              description: null,
              mimeType: null,
              size: null,
              annotations: null,
            },
          ],
          nextCursor: null,
        },
      },
      "resources/read": { result: { contents: [{ uri: "a:b", mimeType: null, text: "fine", _meta: null }] } },
      "prompts/list": {
        result: {
          prompts: [
            { name: "p", description: null, arguments: [{ name: "x", required: null }] },
            { name: "q", arguments: null },
          ],
          nextCursor: null,
        },
      },
    });
    const { server, call } = await opened({ url });
    expect(server.instructions).toBeUndefined();
    expect(await server.resources()).toEqual([{ uri: "a:b", name: "n" }]);
    expect(await server.readResource("a:b")).toEqual([{ type: "text", text: "[a:b]\nfine" }]);
    expect(await server.prompts()).toEqual([
      { name: "p", arguments: [{ name: "x", required: false }] },
      { name: "q", arguments: [] },
    ]);
    expect(textOf(await call())).toBe("fine");
  });
});

test("a server without the capability `tools` is an error if it has nothing else, and else a warning", async () => {
  const saying = (capabilities: JsonObject | null): Answers => ({
    initialize: { result: { ...RESULTS["initialize"], capabilities } },
  });
  for (const capabilities of [{}, null, { tools: null }, { logging: {} }])
    await expect(rawSite(saying(capabilities)).then(({ url }) => opened({ url }))).rejects.toMatchObject({
      code: "tool/failed",
      message: expect.stringContaining("capability `tools`") as unknown,
    });
  const { server, events } = await opened({ url: (await rawSite(saying({ resources: {} }))).url });
  expect(server.tools()).toEqual([]);
  expect(events).toMatchObject([
    { type: "warning", message: expect.stringContaining("capability `tools`") as unknown },
  ]);
});

/** The ways in which a call is cut off whose server has taken it. */
const CUTS: { readonly [how: string]: NonNullable<Answers["call"]> } = {
  "the socket is reset": (_, __, request) => request.socket.resetAndDestroy(),
  "the socket is closed": (_, __, request) => void request.socket.destroy(),
  "the socket is closed after the head": (response, _, request) => {
    response.writeHead(200, { "content-type": "application/json" }).flushHeaders();
    setTimeout(() => request.socket.destroy(), 20);
  },
  "half a JSON": (response, { id }) =>
    void response
      .writeHead(200, { "content-type": "application/json" })
      .end(`{"jsonrpc":"2.0","id":${id},"res`),
  "half a JSON, and the socket is reset": (response, { id }, request) => {
    response.writeHead(200, { "content-type": "application/json" }).write(`{"jsonrpc":"2.0","id":${id},"res`);
    setTimeout(() => request.socket.resetAndDestroy(), 20);
  },
  "an empty body": (response) => void response.writeHead(200, { "content-type": "application/json" }).end(),
  "a body of another type": (response) =>
    void response.writeHead(200, { "content-type": "text/html" }).end("<html>"),
  "a body without a type": (response) => void response.writeHead(200).end(),
  "the answer to another request": (response) =>
    void response
      .writeHead(200, { "content-type": "application/json" })
      .end('{"jsonrpc":"2.0","id":99,"result":{}}'),
  "a stream that ends": (response) =>
    void response.writeHead(200, { "content-type": "text/event-stream" }).end(": hi\n\n"),
  "a stream that is cut": (response, _, request) => {
    response.writeHead(200, { "content-type": "text/event-stream" }).write(": hi\n\n");
    setTimeout(() => request.socket.destroy(), 20);
  },
  "a stream that ends in an event": (response, { id }) =>
    void response
      .writeHead(200, { "content-type": "text/event-stream" })
      .end(`data: {"jsonrpc":"2.0","id":${id},"result":{"conte`),
  ...Object.fromEntries(
    [408, 500, 501, 502, 503, 504, 520, 524, 599].map((status) => [
      `HTTP ${status}`,
      (response: ServerResponse) => void response.writeHead(status).end("gateway"),
    ]),
  ),
};

test.each(Object.entries(CUTS))(
  "a call over HTTP that was cut off may have taken effect: %s",
  async (_, call) => {
    const site = await rawSite({ call });
    const { call: pay } = await opened({ url: site.url, timeoutMs: 600_000 });
    const result = await pay();
    expect(result).toMatchObject({ state: "error", code: "tool/outcome-unknown" });
    expect(textOf(result)).toContain("may have taken effect");
    expect(site.calls()).toBe(1);
  },
);

test.each([400, 403, 405, 406, 409, 413, 422, 429])(
  "a call that was refused with HTTP %i has failed",
  async (status) => {
    const site = await rawSite({ call: (response) => void response.writeHead(status).end("no") });
    const { call } = await opened({ url: site.url, timeoutMs: 600_000 });
    const result = await call();
    expect(result).toMatchObject({ state: "error" });
    expect(textOf(result)).not.toContain("may have taken effect");
  },
);

test("a call for which there was no connection, and one without headers, has failed", async () => {
  const site = await rawSite();
  let isBroken = false;
  const headers = (): { readonly [name: string]: string } => {
    if (isBroken) throw new Error("no token");
    return {};
  };
  const { call } = await opened({ url: site.url, headers });
  isBroken = true;
  const result = await call();
  expect(textOf(result)).toContain("nothing was sent: no token");
  expect(textOf(result)).not.toContain("may have taken effect");
  const port = await freePort();
  await expect(opened({ url: `http://127.0.0.1:${port}/mcp` })).rejects.toThrow("cannot be connected to");
});
