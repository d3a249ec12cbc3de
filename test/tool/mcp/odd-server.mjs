// An MCP server over standard input and output that fails in the way that its argument says. It speaks a revision before 2026-07-28.
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [, , way, json] = process.argv;
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const say = (id, value) => send({ id, result: { content: [{ type: "text", text: String(value) }] } });
const object = { type: "object" };

if (way === "does not start") {
  console.error("no key");
  process.exit(1);
}
if (way === "speaks another protocol") setInterval(() => console.log("hello"), 20);

if (way === "starts late") {
  appendFileSync(json, "x");
  const starts = readFileSync(json, "utf8").length;
  if (starts === 2 || starts === 3) process.exit(1);
}

if (way === "ends slowly") {
  appendFileSync(json, "began ");
  process.on("exit", () => appendFileSync(json, "ended "));
}

/** The ids of the requests of this server, and what becomes of their answers. */
const asked = new Map();
const ask = (method, params) =>
  new Promise((resolve) => {
    const id = `ask-${asked.size}`;
    asked.set(id, resolve);
    send({ id, method, params });
  });
const askPerson = async (message) => {
  const requestedSchema = { type: "object", properties: { n: { type: "integer" } } };
  const { action, content } = await ask("elicitation/create", { message, requestedSchema });
  return content?.n ?? action;
};
const askModel = async () => {
  const content = { type: "text", text: "Hi" };
  return ask("sampling/createMessage", { maxTokens: 10, messages: [{ role: "user", content }] });
};

/** The calls that never end, and how many of them were cancelled. */
const hung = Object.assign(new Set(), { cancelled: 0 });

function sendGigabyte(head) {
  const chunk = "x".repeat(1_000_000);
  let rest = 1_000;
  process.stdout.write(head);
  const more = () => {
    while (rest-- > 0) if (!process.stdout.write(chunk)) return process.stdout.once("drain", more);
    return process.stdout.write('"}]}}\n');
  };
  more();
}

const tools = {
  async twice(id) {
    const first = await askPerson("First?");
    say(id, `${first} ${await askPerson("Second?")}`);
  },
  async both(id) {
    say(id, (await Promise.all([askPerson("First?"), askPerson("Second?")])).join(" "));
  },
  async flood(id) {
    const answers = await Promise.all(Array.from({ length: 100 }, () => askPerson("?")));
    say(id, answers.filter((answer) => answer === "cancel").length);
  },
  async storm(id) {
    const answers = await Promise.all(Array.from({ length: 100 }, askModel));
    say(id, answers.filter((answer) => answer === undefined).length);
  },
  gigabyte: (id) => sendGigabyte(`{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"`),
  hang: (id) => void hung.add(id),
  cancelled: (id) => say(id, hung.cancelled),
  refuse: (id) => send({ id, error: { code: -32_000, message: "No." } }),
  once(id) {
    if (existsSync(json)) return say(id, "ran again");
    writeFileSync(json, "");
    return process.kill(process.pid, "SIGKILL");
  },
  lists: (id) => say(id, lists),
  die: () => process.kill(process.pid, "SIGKILL"),
  small: (id) => say(id, "small"),
};

const IDEMPOTENT = ["twice", "once"];
const listed = (name) => ({
  name,
  inputSchema: object,
  annotations: { idempotentHint: IDEMPOTENT.includes(name) },
});

let lists = 0;

function list(id) {
  lists++;
  if (way === "dies") return process.exit(1);
  if (way === "sends invalid schemas") return send({ id, result: JSON.parse(json) });
  send({ id, result: { tools: Object.keys(tools).map(listed) } });
  if (way === "always changes") send({ method: "notifications/tools/list_changed" });
}

const input = createInterface({ input: process.stdin });
const hasSuccessor = () => readFileSync(json, "utf8").split("began").length > 2;
input.on("close", () => {
  setInterval(
    () => (way !== "ends slowly" || hasSuccessor()) && process.exit(),
    way === "ends slowly" ? 20 : 0,
  );
});
input.on("line", (line) => {
  const { id, method, params, result } = JSON.parse(line);
  if (way === "speaks another protocol" || way === "says nothing") return;
  if (method === undefined) return asked.get(id)?.(result);
  if (method === "notifications/cancelled" && hung.delete(params.requestId)) hung.cancelled++;
  if (method === "initialize")
    send({
      id,
      result: {
        protocolVersion: way === "speaks another revision" ? "1999-01-01" : params.protocolVersion,
        capabilities: { tools: { listChanged: true }, resources: {} },
        serverInfo: { name: "odd", version: "1" },
      },
    });
  else if (method === "tools/list") list(id);
  else if (method === "resources/read")
    sendGigabyte(`{"jsonrpc":"2.0","id":${id},"result":{"contents":[{"uri":"big:","text":"`);
  else if (method === "tools/call") tools[params.name](id);
});
