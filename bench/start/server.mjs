// A server within the process that asks for one tool, then answers. It reports its usage, as servers do when they are asked to, unless
// the first argument of the process is "unreported".

/** The first runs of a process that are measured together: what a worker or a function does soon after it has started. */
const FIRST_RUNS = 200;

/** Does a run and prints the CPU µs of the process so far; with the argument "first" those of a run, of the first of the process. */
export async function measured(run) {
  const isFirst = process.argv[2] === "first";
  if (isFirst) Response.error(); // Node loads it when it is first used, and the package of the loop uses it when it is imported
  const before = isFirst ? process.cpuUsage() : undefined;
  const runs = isFirst ? FIRST_RUNS : 1;
  for (let done = 0; done < runs; done++) await run();
  const { user, system } = process.cpuUsage(before);
  process.stdout.write(String((user + system) / runs));
}

export const ASKS = "How warm is room 1?";
export const ANSWER = "It is 20 °C.";
export const BASE_URL = "https://models.test/v1";
export const TOOL = {
  name: "read_room",
  description: "The temperature of a room.",
  parameters: { type: "object", properties: { room: { type: "number" } }, required: ["room"] },
};

const call = {
  index: 0,
  id: "call_1",
  type: "function",
  function: { name: TOOL.name, arguments: '{"room":1}' },
};
const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
const reported = process.argv[2] === "unreported" ? [] : [{ choices: [], usage }];
const bodyOf = (delta, finish_reason) => {
  const choices = [{ choices: [{ index: 0, delta }] }, { choices: [{ index: 0, delta: {}, finish_reason }] }];
  const chunks = [...choices, ...reported];
  return `${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("")}data: [DONE]\n\n`;
};
const bodies = [
  bodyOf({ content: "Reading.", tool_calls: [call] }, "tool_calls"),
  bodyOf({ content: ANSWER }, "stop"),
];

let asked = 0;
export const fetch = async () =>
  new Response(bodies[asked++ % bodies.length], { headers: { "content-type": "text/event-stream" } });
