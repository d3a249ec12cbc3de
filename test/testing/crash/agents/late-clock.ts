// An agent whose tool says another time from the third process on, as a clock of minutes does in a test of seconds.
import { appendFileSync, readFileSync } from "node:fs";
import { defineTool } from "agentchart";
import { scriptedModel } from "agentchart/testing";

const file = process.env["LATE_CLOCK"]!;
appendFileSync(file, "x");
const time = readFileSync(file, "utf8").length > 2 ? "10:01" : "10:00";

const clock = defineTool({
  name: "clock",
  description: "Returns the time.",
  input: { type: "object" },
  idempotent: true,
  execute: () => time,
});

export default {
  late: () => ({
    name: "late",
    model: scriptedModel([{ calls: [{ name: "clock", input: {} }] }, "It is late."]),
    tools: [clock],
  }),
};
export const scenario = { input: "What time is it?" };
