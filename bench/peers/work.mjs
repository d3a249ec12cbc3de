// What every contender does: the same tasks, over a `fetch` that plays the provider's server in the same process.

export const SYSTEM = "Read all rooms with the tool read_room.";
export const QUESTION = "Read the rooms.";
export const ANSWER = "All rooms are read.";
export const MODEL = "gpt-4.1";
export const BASE_URL = "https://models.test/v1";

export const READ_ROOM = {
  name: "read_room",
  description: "The temperature of a room.",
  parameters: {
    type: "object",
    properties: { room: { type: "number" }, unit: { type: "string" } },
    required: ["room", "unit"],
    additionalProperties: false,
  },
};

export const readRoom = ({ room }) => JSON.stringify({ room, celsius: 20 + (room % 7) });

/** Tasks by name: how often the model asks for tools before it answers, and for how many at once. */
export const TASKS = {
  round: { rounds: 1, calls: 1, runs: 30 },
  rounds: { rounds: 100, calls: 1, runs: 1 },
  parallel: { rounds: 1, calls: 50, runs: 5 },
};

const argumentsOf = (room) => ({ room, unit: "celsius" });
const sayingOf = (round) => `Reading in round ${round}.`;

function bodyOf(id, deltas, finish_reason) {
  const head = { id, object: "chat.completion.chunk", created: 1, model: MODEL };
  const chunks = [
    ...deltas.map((delta) => ({ ...head, choices: [{ index: 0, delta, finish_reason: null }] })),
    { ...head, choices: [{ index: 0, delta: {}, finish_reason }] },
    { ...head, choices: [], usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 } },
  ];
  return `${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("")}data: [DONE]\n\n`;
}

const wordsOf = (text) => text.split(/(?<= )/).map((content) => ({ role: "assistant", content }));

function asksOf(round, { calls }) {
  const asks = Array.from({ length: calls }, (_, index) => {
    const room = round * calls + index;
    const text = JSON.stringify(argumentsOf(room));
    const call = (fields) => ({ tool_calls: [{ index, ...fields }] });
    return [
      call({ id: `call_${room}`, type: "function", function: { name: READ_ROOM.name, arguments: "" } }),
      call({ function: { arguments: text.slice(0, 8) } }),
      call({ function: { arguments: text.slice(8) } }),
    ];
  });
  return bodyOf(`chatcmpl-${round}`, [...wordsOf(sayingOf(round)), ...asks.flat()], "tool_calls");
}

/** What the request after `round` rounds must say, whatever form a contender writes it in. */
function expectedOf(round, { calls }) {
  const before = Array.from({ length: round }, (_, done) => {
    const rooms = Array.from({ length: calls }, (_, index) => done * calls + index);
    return [
      {
        role: "assistant",
        text: sayingOf(done),
        calls: rooms.map((room) => ({ id: `call_${room}`, name: READ_ROOM.name, input: argumentsOf(room) })),
      },
      ...rooms.map((room) => ({ role: "tool", id: `call_${room}`, text: readRoom({ room }) })),
    ];
  });
  return [{ role: "system", text: SYSTEM }, { role: "user", text: QUESTION }, ...before.flat()];
}

const textOf = (content) =>
  typeof content === "string" ? content : (content ?? []).map(({ text }) => text ?? "").join("");

function messageOf({ role, content, tool_calls, tool_call_id }) {
  const text = textOf(content);
  if (role === "tool") return { role, id: tool_call_id, text };
  if (role !== "assistant") return { role, text };
  const calls = (tool_calls ?? []).map(({ id, function: { name, arguments: input } }) => ({
    id,
    name,
    input: JSON.parse(input),
  }));
  return { role, text, calls };
}

function check(body, round, task) {
  const differ = (what, expected, found) => {
    if (JSON.stringify(expected) === JSON.stringify(found)) return;
    throw new Error(
      `Request ${round}: ${what} differ.\nexpected: ${JSON.stringify(expected)}\nfound:    ${JSON.stringify(found)}`,
    );
  };
  differ("the streams", true, body.stream);
  differ("the models", MODEL, body.model);
  differ("the messages", expectedOf(round, task), body.messages.map(messageOf));
  const tools = (body.tools ?? []).map(({ function: { name, description, parameters } }) => [
    name,
    description,
    parameters.properties,
    parameters.required,
  ]);
  const { name, description, parameters } = READ_ROOM;
  differ("the tools", [[name, description, parameters.properties, parameters.required]], tools);
}

/**
 * The server of one task. With `checked` every request is compared with the one that the task asks for, message by message.
 * `settle()` throws unless the run that ended has sent all requests.
 */
export function serverOf(task) {
  const answers = Array.from({ length: task.rounds }, (_, round) => asksOf(round, task));
  answers.push(bodyOf("chatcmpl-last", wordsOf(ANSWER), "stop"));
  const server = {
    checked: false,
    sent: 0,
    fetch: async (_, init) => {
      const round = server.sent++;
      if (round >= answers.length) throw new Error(`Request ${round} is one more than the task asks for.`);
      if (server.checked) check(JSON.parse(String(init.body)), round, task);
      return new Response(answers[round], { headers: { "content-type": "text/event-stream" } });
    },
    settle(text) {
      if (text !== ANSWER) throw new Error(`The task was not done, the answer is: ${text}`);
      if (server.sent !== answers.length)
        throw new Error(`${server.sent} requests were sent; expected ${answers.length}.`);
      server.sent = 0;
    },
  };
  return server;
}
