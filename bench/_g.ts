import { createAgent, defineTool } from "agentchart";
import { cpuMicros, median } from "./cpu.ts";
const R = 300;
const noop = defineTool({ name: "noop", description: "", input: { type: "object" }, execute: () => "ok" });
const imm = () => new Promise(setImmediate);
const wait = process.argv[2] === "imm" ? imm : () => undefined;
const one = async () => {
  let asked = 0;
  const a = createAgent({
    name: "b",
    maxIters: R + 1,
    tools: [noop],
    model: {
      name: "i",
      async *stream() {
        await wait();
        if (asked++ === R) yield { type: "text.delta", delta: "done" } as const;
        else yield { type: "tool.delta", key: 0, name: "noop", args: "{}" } as const;
        yield { type: "usage", usage: { inputTokens: 1, outputTokens: 1 } } as const;
        yield { type: "finish", reason: "stop" } as const;
      },
    },
  });
  const t = await cpuMicros(() => a.call("go"));
  await a.close();
  return t / R;
};
const all: number[] = [];
for (let i = 0; i < 60; i++) all.push(await one());
const m = process.threadCpuUsage();
const p = process.cpuUsage();
console.log(
  "RESULT",
  process.argv[2],
  median(all.slice(20)).toFixed(0),
  "main thread",
  ((m.user + m.system) / 60 / R).toFixed(0),
  "process",
  ((p.user + p.system) / 60 / R).toFixed(0),
);
