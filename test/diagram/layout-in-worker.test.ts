import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { layoutChart } from "../../src/diagram/layout-chart.ts";
import { layoutInWorker } from "../../src/diagram/layout-in-worker.ts";
import { CHARTS } from "./charts.ts";
import { edge, tangle } from "./tangle.ts";

test("a chart is laid out in a thread, once, and as it would be here", async () => {
  const chart = CHARTS["three levels"]!;
  const layouts = await layoutInWorker(chart, { deadlineMs: 60_000 });
  expect(layouts).toEqual(await layoutChart(chart));
  expect(await layoutInWorker(structuredClone(chart))).toBe(layouts);
});

test("a chart that takes too long is given up at the deadline, and others wait for nothing", async () => {
  let beats = 0;
  const heart = setInterval(() => beats++, 10);
  const layouts = await layoutInWorker(tangle(100), { deadlineMs: 500 });
  clearInterval(heart);
  expect(layouts).toBeNull();
  expect(beats).toBeGreaterThan(1);
  const next = await layoutInWorker(CHARTS["three levels"]!, { deadlineMs: 60_000 });
  expect(next?.portrait.nodes).toHaveLength(CHARTS["three levels"]!.nodes.length);
});

test("a chart that is still being laid out does not keep its process alive", () => {
  const module = JSON.stringify(new URL("../../src/diagram/layout-in-worker.ts", import.meta.url));
  const script = `import { layoutInWorker } from ${module};
    void layoutInWorker(${JSON.stringify(tangle(100))}, { deadlineMs: 600_000 });`;
  const flags = ["--input-type=module", "--conditions=agentchart-source"];
  const { status, signal } = spawnSync(process.execPath, flags, { input: script, timeout: 18_000 });
  expect([status, signal]).toEqual([0, null]);
});

test("what is no chart has no layout, and no error", async () => {
  expect(await layoutInWorker({ id: "empty", nodes: [], edges: [] })).toBeNull();
  const broken = { ...tangle(2), edges: [edge("s0", "nowhere")] };
  expect(await layoutInWorker(broken)).toBeNull();
});
