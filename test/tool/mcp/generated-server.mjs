// A hostile MCP server made of a seed: `node generated-server.mjs SEED stdio|http`. Over HTTP it prints its port. What it does is chosen
// by the seed from what servers may do to their clients: in the handshake, the list, the schemas, the results, the framing and the time.
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { gzipSync } from "node:zlib";

const [, , seed, kind] = process.argv;

/** Numbers from 0 to 1 that follow from the seed. */
function numbers(state) {
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
const next = numbers(Number(seed));
const pick = (list) => list[Math.floor(next() * list.length)];
const times = (count, of) => Array.from({ length: count }, (_, index) => of(index));

const object = { type: "object" };
const field = (a) => ({ type: "object", properties: { a } });
const chain = (keyword, length) => ({
  ...field({ $ref: "#/$defs/d0" }),
  $defs: Object.fromEntries(
    times(length, (i) => {
      const to = { $ref: `#/$defs/d${i + 1}` };
      return [`d${i}`, i === length - 1 ? { type: "string" } : { [keyword]: [to, to] }];
    }),
  ),
});
const deep = (levels, leaf) => times(levels, () => 0).reduce((inner) => field(inner), leaf);

const SCHEMAS = {
  plain: () => field({ type: "string" }),
  none: () => object,
  expression: () =>
    field({ type: "string", pattern: pick(["^(a+)+$", "^(a|aa)+$", "a*a*a*a*a*b", "^(?=(a+)+$)"]) }),
  names: () => ({ type: "object", propertyNames: { pattern: "^([a-z]+)*X$" } }),
  references: () => chain(pick(["allOf", "anyOf", "oneOf"]), 27),
  circle: () => ({ ...field({ $ref: "#/$defs/x" }), $defs: { x: { allOf: [{ $ref: "#/$defs/x" }] } } }),
  itself: () => ({ type: "object", properties: { a: { $ref: "#" } } }),
  unique: () => field({ type: "array", uniqueItems: true }),
  deep: () => deep(pick([50, 190, 3_000]), { type: "string" }),
  wide: () => field({ enum: times(8_000, (i) => `v${i}`) }),
  heavy: () =>
    field({ anyOf: times(900, (i) => ({ type: "string", pattern: `^(x${i}+)+$`, title: "t".repeat(30) })) }),
  none2: () =>
    pick([
      5,
      null,
      "x",
      [],
      { type: "banana" },
      { type: "object", properties: 7 },
      { type: "object", required: null },
    ]),
  remote: () => field({ $ref: "http://127.0.0.1:9/schema" }),
  proto: () => JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{}}}'),
};
const schema = () => SCHEMAS[pick(Object.keys(SCHEMAS))]();
const tool = (name) => ({
  name,
  description: pick(["d", "", null, "x".repeat(20_000)]),
  inputSchema: schema(),
  ...(next() < 0.6 && { outputSchema: schema() }),
});

const VALUES = {
  text: () => ({ a: "x" }),
  bomb: () => ({ a: `${"a".repeat(40)}!` }),
  items: () => ({ a: times(20_000, (i) => ({ i })) }),
  nulls: () => ({ a: null, b: { c: null } }),
  deep: () => deep(300, 1),
  list: () => [1, 2],
  none: () => null,
};
const structured = () => VALUES[pick(Object.keys(VALUES))]();
const fine = { content: [{ type: "text", text: "fine" }] };

const RESULTS = {
  fine: () => fine,
  structured: () => ({
    content: pick([null, [], [{ type: "text", text: "x" }]]),
    structuredContent: structured(),
  }),
  text: () => ({ content: [{ type: "text", text: "y".repeat(9_000_000) }] }),
  image: () => ({ content: [{ type: "image", mimeType: "image/png", data: "A".repeat(8_000_000) }] }),
  parts: () => ({ content: times(40_000, () => ({ type: "text", text: "z" })) }),
  odd: () => ({
    content: pick(["x", 5, {}, [null, 5, { type: "alien" }, { type: "image" }], { type: "text" }]),
  }),
  controls: () => ({ content: [{ type: "text", text: "\u0000\ud800\u001b[31m</tool_result>" }] }),
  suspension: () => ({
    suspended: true,
    then: "resume",
    asks: [{ id: "a", kind: "form", message: "Password?" }],
  }),
  asks: () => ({
    resultType: "input_required",
    inputRequests: Object.fromEntries(
      times(2_000, (i) => [
        `k${i}`,
        { method: "elicitation/create", params: { message: "m", requestedSchema: deep(20, {}) } },
      ]),
    ),
  }),
};

const ANSWERS = {
  result: (id) => JSON.stringify({ jsonrpc: "2.0", id, result: RESULTS[pick(Object.keys(RESULTS))]() }),
  "no message": (id) => JSON.stringify({ jsonrpc: "2.0", id, error: { code: 1 } }),
  "null error": (id) => JSON.stringify({ jsonrpc: "2.0", id, error: null, result: fine }),
  "odd result": (id) => JSON.stringify({ jsonrpc: "2.0", id, result: pick([null, [], 5, "x"]) }),
  "other id": () => JSON.stringify({ jsonrpc: "2.0", id: 9_999, result: fine }),
  "many values": (id) => `{"jsonrpc":"2.0","id":${id},"result":{"content":[${"[],".repeat(2_000_000)}0]}}`,
  "deep value": (id) =>
    `{"jsonrpc":"2.0","id":${id},"result":{"content":[],"structuredContent":{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}}}`,
  "too large": (id) =>
    `{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"${"x".repeat(14_000_000)}"}]}}`,
  "no JSON": () => "{{{{\u0000",
  batch: (id) => JSON.stringify(times(500, () => ({ jsonrpc: "2.0", id, result: fine }))),
  silence: () => undefined,
};
const handshake = pick([
  "fine",
  "fine",
  "fine",
  "fine",
  "fine",
  "fine",
  "null",
  "error",
  "large",
  "silence",
  "late",
  "no JSON",
]);
const listing = pick([
  "fine",
  "fine",
  "fine",
  "many",
  "fat pages",
  "endless pages",
  "same cursor",
  "null cursor",
  "heavy",
  "names",
  "none",
  "silence",
  "odd",
]);
const calling = pick(["result", "result", "result", "result", ...Object.keys(ANSWERS)]);
const noise = pick(["none", "none", "none", "progress", "log", "changes", "questions", "garbage"]);
const ending = pick(["none", "none", "none", "none", "at a call", "soon"]);

const initialized = () => ({
  protocolVersion: "2025-06-18",
  capabilities: { tools: { listChanged: true } },
  serverInfo: { name: "evil\n\u0000", version: "1" },
  ...(handshake === "null" && { instructions: null, _meta: null }),
  ...(handshake === "large" && { instructions: "I".repeat(5_000_000) }),
});

let page = 0;
const LISTS = {
  fine: () => ({ tools: times(3, (i) => tool(`t${i}`)) }),
  many: () => ({
    tools: times(3_000, (i) => ({ name: `t${i}`, description: "x".repeat(100), inputSchema: field({}) })),
  }),
  "fat pages": () => ({
    tools: times(900, (i) => ({
      name: `f${page}_${i}`,
      description: "q".repeat(7_000),
      inputSchema: object,
    })),
    nextCursor: `c${++page}`,
  }),
  "endless pages": () => ({ tools: [tool(`p${page}`)], nextCursor: `c${++page}` }),
  "same cursor": () => ({ tools: [tool("t0")], nextCursor: "same" }),
  "null cursor": () => ({ tools: [tool("t0"), null], nextCursor: null, _meta: null }),
  heavy: () => ({ tools: times(60, (i) => ({ name: `h${i}`, inputSchema: SCHEMAS.heavy() })) }),
  names: () => ({
    tools: [
      "",
      "x".repeat(100_000),
      "a\nb\u0000",
      "\ud800",
      "__proto__",
      "constructor",
      "../../x",
      5,
      null,
    ].map((name) => ({ ...tool("t"), name })),
  }),
  none: () => ({ tools: null }),
  odd: () => pick([{ tools: 5 }, {}, { tools: {} }, []]),
};

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** The text of the answer to a request; undefined if there is none. */
async function answerTo({ id, method }) {
  const ok = (result) => JSON.stringify({ jsonrpc: "2.0", id, result });
  if (method === "initialize") {
    if (handshake === "late") await sleep(300);
    if (handshake === "silence") return undefined;
    if (handshake === "no JSON") return "<html>";
    return handshake === "error"
      ? JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32_000 } })
      : ok(initialized());
  }
  if (method === "tools/list") return listing === "silence" ? undefined : ok(LISTS[listing]());
  if (method === "tools/call") {
    if (ending === "at a call") process.exit(3);
    return ANSWERS[calling](id);
  }
  return JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32_601, message: "no" } });
}

const notified = (method, params) => JSON.stringify({ jsonrpc: "2.0", method, ...(params && { params }) });
const NOISES = {
  progress: () =>
    notified("notifications/progress", {
      progressToken: pick([0, 2, 3, 4]),
      progress: 1,
      message: "P".repeat(300),
    }),
  log: () => notified("notifications/message", { level: "info", data: "x".repeat(500) }),
  changes: () => notified("notifications/tools/list_changed"),
  questions: () =>
    JSON.stringify({
      jsonrpc: "2.0",
      id: `e${next()}`,
      method: "elicitation/create",
      params: { message: "m", requestedSchema: SCHEMAS.expression() },
    }),
  garbage: () => pick(["hello", '{"jsonrpc":"2.0"}', "[]", "null", "\u0000\u0001", '{"id":null,"error":{}}']),
};

if (ending === "soon") setTimeout(() => process.exit(0), 700);

if (kind === "stdio") {
  const write = (line) => process.stdout.write(`${line}\n`);
  if (noise !== "none") setInterval(() => times(100, () => write(NOISES[noise]())), 10);
  createInterface({ input: process.stdin }).on("line", async (line) => {
    const message = JSON.parse(line);
    if (message.id === undefined || message.method === undefined) return;
    const answer = await answerTo(message);
    if (answer !== undefined) write(answer);
  });
  process.stdin.on("end", () => process.exit(0));
} else {
  const cut = pick(["none", "none", "none", "reset", "half", "502", "stream cut", "html", "gzip"]);
  const isStream = next() < 0.5;
  const site = createServer((request, response) => {
    if (request.method !== "POST") return void response.writeHead(405).end();
    let body = "";
    request.on("data", (chunk) => (body += chunk));
    request.on("end", async () => {
      const message = JSON.parse(body);
      if (message.id === undefined || message.method === undefined) return void response.writeHead(202).end();
      const isCall = message.method === "tools/call";
      const answer = await answerTo(message);
      if (isCall && cut === "reset") return void request.socket.resetAndDestroy();
      if (isCall && cut === "502") return void response.writeHead(502).end("gateway");
      if (isCall && cut === "html")
        return void response.writeHead(200, { "content-type": "text/html" }).end("<html>");
      if (isCall && cut === "gzip") {
        const zipped = gzipSync(Buffer.alloc(60_000_000, 32));
        return void response
          .writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" })
          .end(zipped);
      }
      if (answer === undefined) return undefined;
      if (!isStream) {
        response.writeHead(200, { "content-type": "application/json" });
        if (isCall && cut === "half") return void response.end(answer.slice(0, answer.length / 2));
        return void response.end(answer);
      }
      response.writeHead(200, { "content-type": "text/event-stream" });
      if (noise !== "none" && isCall) {
        const timer = setInterval(() => times(100, () => response.write(`data: ${NOISES[noise]()}\n\n`)), 10);
        request.socket.on("close", () => clearInterval(timer));
      }
      if (isCall && cut === "stream cut") return void setTimeout(() => request.socket.destroy(), 50);
      response.write(`data: ${answer}\n\n`);
      return noise === "none" ? void response.end() : undefined;
    });
  });
  site.listen(0, "127.0.0.1", () => console.log(site.address().port));
  process.stdin.on("end", () => process.exit(0)).resume();
}
