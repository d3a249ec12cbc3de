// Layouts in a thread, with a deadline.
import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { chartInRows } from "../../src/core/diagram/rows.ts";
import { layoutChart } from "../../src/core/diagram/layout-chart.ts";
import { layoutInWorker } from "../../src/core/diagram/layout-in-worker.ts";
import { CHARTS } from "./charts.ts";
import { edge, tangle } from "./tangle.ts";

test("layoutInWorker returns the layout of layoutChart, computed once in a thread", async () => {
  const chart = CHARTS["three levels"]!;
  const layouts = await layoutInWorker(chart, { deadlineMs: 60_000 });
  expect(layouts).toEqual(await layoutChart(chart));
  expect(await layoutInWorker(structuredClone(chart))).toBe(layouts);
});

test("layoutInWorker resolves to a layout in rows at the deadline, while other charts are laid out", async () => {
  let beats = 0;
  const heart = setInterval(() => beats++, 10);
  const chart = tangle(75);
  const layouts = await layoutInWorker(chart, { deadlineMs: 500 });
  clearInterval(heart);
  expect(layouts).toEqual(chartInRows(chart));
  expect(beats).toBeGreaterThan(1);
  const next = await layoutInWorker(CHARTS["three levels"]!, { deadlineMs: 60_000 });
  expect(next?.portrait.nodes).toHaveLength(CHARTS["three levels"]!.nodes.length);
});

test("layoutInWorker does not keep the process alive", () => {
  const module = JSON.stringify(new URL("../../src/core/diagram/layout-in-worker.ts", import.meta.url));
  const script = `import { layoutInWorker } from ${module};
    void layoutInWorker(${JSON.stringify(tangle(75))}, { deadlineMs: 600_000 }).then(() => console.log("laid out"));`;
  const flags = ["--input-type=module", "--conditions=agentchart-source"];
  const { status, stdout } = spawnSync(process.execPath, flags, { input: script, encoding: "utf8" });
  expect([status, stdout]).toEqual([0, ""]);
});

test("layoutInWorker resolves to null for a value that is not a chart", async () => {
  expect(await layoutInWorker({ id: "empty", nodes: [], edges: [] })).toBeNull();
  const broken = { ...tangle(2), edges: [edge("s0", "nowhere")] };
  expect(await layoutInWorker(broken)).toBeNull();
});

test("layoutInWorker resolves to a layout in rows where no thread can be started", async () => {
  const chart = { ...tangle(3), own: () => "cannot be cloned" };
  expect(await layoutInWorker(chart)).toEqual(chartInRows(chart));
});

test("layoutInWorker resolves to null for a chart that is too large for the main thread, at the deadline", async () => {
  const chart = tangle(90);
  expect(await layoutInWorker(chart, { deadlineMs: 1 })).toBeNull();
});
