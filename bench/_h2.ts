import { Session } from "node:inspector/promises";
import { createAgent, defineTool } from "agentchart";
const R = 300;
const noop = defineTool({ name: "noop", description: "", input: { type: "object" }, execute: () => "ok" });
const one = async () => {
  let asked = 0;
  const a = createAgent({
    name: "b",
    maxIters: R + 1,
    tools: [noop],
    model: {
      name: "i",
      async *stream() {
        if (asked++ === R) yield { type: "text.delta", delta: "done" } as const;
        else yield { type: "tool.delta", key: 0, name: "noop", args: "{}" } as const;
        yield { type: "usage", usage: { inputTokens: 1, outputTokens: 1 } } as const;
        yield { type: "finish", reason: "stop" } as const;
      },
    },
  });
  await a.call("go");
  await a.close();
};
for (let i = 0; i < 20; i++) await one();
const s = new Session();
s.connect();
await s.post("HeapProfiler.startSampling", {
  samplingInterval: 4096,
  includeObjectsCollectedByMajorGC: true,
  includeObjectsCollectedByMinorGC: false,
} as never);
for (let i = 0; i < 40; i++) await one();
const { profile } = (await s.post("HeapProfiler.stopSampling")) as any;
const self = new Map<string, number>();
let total = 0;
const walk = (n: any) => {
  const k = `${n.callFrame.functionName || "(anon)"} ${n.callFrame.url.split("/").slice(-2).join("/")}:${n.callFrame.lineNumber + 1}`;
  self.set(k, (self.get(k) ?? 0) + n.selfSize);
  total += n.selfSize;
  n.children.forEach(walk);
};
walk(profile.head);
console.log("KB per iteration", (total / 1024 / 40 / R).toFixed(1));
for (const [k, v] of [...self].sort((a, b) => b[1] - a[1]).slice(0, 40))
  console.log((v / 1024 / 40 / R).toFixed(2).padStart(7), k);
