// A hub with the file of an exported run.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { exportSession } from "agentchart/session";
import { inspector } from "agentchart/inspect";
import { memoryStore } from "agentchart/store/memory";
import { describe, expect, onTestFinished, test } from "vitest";
import type { RunRow, StepPage } from "../../../src/inspect/protocol/protocol.ts";
import { ask, testHome, testHub } from "../../support/hub-page.ts";
import { get, steps, storedSession, type Detail, type List } from "../../support/stored-runs.ts";

const cyclicChart = JSON.stringify({
  chart: {
    id: "m",
    nodes: ["a", "b"].map((id, at) => ({
      id,
      key: id,
      parent: at === 0 ? "b" : "a",
      type: "compound",
      tags: [],
      entry: [],
      exit: [],
      invoke: [],
    })),
    edges: [],
  },
});

describe("startHub with a file", () => {
  const home = (): string => testHome();
  const write = (place: string, text: string): string => {
    const path = join(place, "run.ndjson");
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  };

  /** An exported live run, and what the live hub returned for it. */
  async function exported(
    place: string,
  ): Promise<{ text: string; page: StepPage; runId: string; detail: Detail }> {
    const hub = await testHub({ home: place });
    const inspect = inspector({ home: place, retryMs: [10, 50] });
    onTestFinished(() => inspect.close());
    const agent = await storedSession(memoryStore(), "s-1", { inspect });
    await expect.poll(async () => (await ask(hub, "/api/runs/s-1")).status).toBe(200);
    await expect.poll(async () => (await get<Detail>(hub, "/api/runs/s-1")).row.phase).toBe("suspended");
    await agent.close();
    await expect.poll(async () => (await get<Detail>(hub, "/api/runs/s-1")).row.worker).toBeUndefined();
    const text = await (await ask(hub, "/api/runs/s-1/export")).text();
    return {
      text,
      page: await steps(hub, "s-1"),
      runId: "s-1",
      detail: await get<Detail>(hub, "/api/runs/s-1"),
    };
  }

  test("shows an exported run with the same steps and row as the live run", async () => {
    const { text, page, detail } = await exported(home());
    const place = home();
    const hub = await testHub({ home: place, files: [write(place, text)] });
    const opened = await steps(hub, "s-1");
    expect(opened).toEqual(page);
    const again = await get<Detail>(hub, "/api/runs/s-1");
    expect(again.row).toMatchObject({
      source: "file",
      usage: detail.row.usage,
      steps: detail.row.steps,
      phase: "suspended",
      waitsFor: ["approval"],
      title: "Is it there?",
      can: [],
    });
    expect(again.row.notice).toBeUndefined();
    const chart = await get<{ chart: { edges: unknown[] } }>(hub, `/api/charts/${again.chart}`);
    expect(chart.chart.edges.length).toBeGreaterThan(100);
    const [, sha] = /"\$blob":"(\w+)"/.exec(JSON.stringify(opened))!;
    expect(await (await ask(hub, `/api/runs/s-1/blob/${sha!}`)).text()).toMatch(/^seen x{9000}$/);
    expect(await (await ask(hub, "/api/runs/s-1/export")).text()).toContain('"q":1');
    expect((await get<List>(hub, "/api/runs")).rows.map(({ runId }) => runId)).toEqual(["s-1"]);
  });

  test("opens a cut-off or damaged file up to its last valid line and names the first invalid one", async () => {
    const { text } = await exported(home());
    const lines = text.split("\n");
    const at = lines.findIndex((line) => line.startsWith('{"q":8,'));
    const cut = [...lines.slice(0, at), lines[at]!.slice(0, 30)].join("\n");
    const damaged = lines.with(at, "not json").join("\n");
    const missing = lines.toSpliced(at, 1).join("\n");
    for (const [what, broken, notice] of [
      ["cut", cut, `Opened to line ${at}: line ${at + 1} is cut off.`],
      ["damaged", damaged, `Opened to line ${at}: line ${at + 1} is not a JSON object.`],
      ["missing", missing, /^Opened to line \d+: line \d+ cannot be read \(step 9 follows step 7\)\.$/],
    ] as const) {
      const place = home();
      const hub = await testHub({ home: place, files: [write(place, broken)] });
      const { row } = await get<Detail>(hub, "/api/runs/s-1");
      expect(row.notice, what).toMatch(notice);
      expect(row.steps, what).toBe(7);
      expect((await steps(hub, "s-1")).items).toHaveLength(7);
    }
  });

  test.each([
    [
      "a step whose edges are a string",
      /^\{"q":9,.*$/m,
      '{"q":9,"t":1,"m":9,"e":"","x":"abc","s":0}',
      "step 9",
    ],
    ["a step without an event", /^\{"q":9,.*$/m, '{"q":9,"t":1,"m":9,"x":[],"s":0}', "step 9"],
    ["a deeply nested step", /^\{"q":9,.*$/m, `{"q":9,"v":${"[".repeat(300)}${"]".repeat(300)}}`, "nested"],
    ["states that are not strings", /^\{"state":.*$/m, '{"state":[{"a":1},5]}', "array of state ids"],
    ["a chart with cyclic parents", /^\{"chart":.*$/m, cyclicChart, "state of the chart"],
  ])("opens a file up to %s", async (_, line, broken, problem) => {
    const { text } = await exported(home());
    const hub = await testHub({
      home: home(),
      files: [
        write(
          home(),
          text.replace(line, () => broken),
        ),
      ],
    });
    const { row } = await get<Detail>(hub, "/api/runs/s-1");
    expect(row.notice).toMatch(/^Opened to line \d+: line \d+ cannot be read/);
    expect(row.notice).toContain(problem);
  });

  test("ignores unknown and invalid fields in the header of a file", async () => {
    const { text } = await exported(home());
    const header = JSON.parse(text.split("\n")[0]!) as { row: object };
    const odd = {
      agent: "bot",
      worker: { id: {} },
      state: 5,
      waitsFor: "z",
      can: ["decide"],
      notice: { x: 1 },
    };
    const lines = [
      JSON.stringify({ ...header, row: { ...header.row, ...odd } }),
      ...text.split("\n").slice(1),
    ];
    const hub = await testHub({ home: home(), files: [write(home(), lines.join("\n"))] });
    const { row } = await get<Detail>(hub, "/api/runs/s-1");
    expect(row).toMatchObject({ agent: "bot", state: "", waitsFor: [], can: [], source: "file" });
    expect(row).not.toHaveProperty("worker");
    expect(row).not.toHaveProperty("notice");
  });

  test("uses the chart of the file, or the built-in one if its hash is the same", async () => {
    const { text, page } = await exported(home());
    const [header, chartLine, ...rest] = text.split("\n") as [string, string, ...string[]];
    expect(JSON.parse(chartLine)).toMatchObject({ chart: { id: "agent" }, layouts: null });
    expect(chartLine.length).toBeLessThan(100_000);
    const open = async (lines: readonly string[]) => {
      const place = home();
      const hub = await testHub({ home: place, files: [write(place, lines.join("\n"))] });
      const { row, chart } = await get<Detail>(hub, "/api/runs/s-1");
      expect((await steps(hub, "s-1")).items).toEqual(page.items);
      return { notice: row.notice, status: (await ask(hub, `/api/charts/${chart}`)).status };
    };
    expect(await open([header, ...rest])).toEqual({ notice: undefined, status: 200 });
    const { row, ...more } = JSON.parse(header) as { row: RunRow };
    const other = JSON.stringify({ ...more, row: { ...row, chart: "0123456789abcdef" } });
    expect(await open([other, ...rest])).toEqual({
      notice:
        "The file does not contain its chart, and this release has another one: the run is shown without a chart.",
      status: 404,
    });
    expect(await open([other, chartLine, ...rest])).toEqual({ notice: undefined, status: 200 });
  });

  test("shows an exported session as the store shows it, also if the file is cut off", async () => {
    const store = memoryStore();
    await (await storedSession(store, "s-1")).close();
    let text = "";
    for await (const line of exportSession(store, "s-1")) text += line;
    const place = home();
    const hub = await testHub({ home: place, store, files: [write(place, text)] });
    const stored = await testHub({ home: home(), store });
    expect(await steps(hub, "s-1")).toEqual(await steps(stored, "s-1"));
    expect((await get<Detail>(hub, "/api/runs/s-1")).row).toMatchObject({
      source: "file",
      phase: "suspended",
      pending: 1,
    });
    expect((await get<List>(hub, "/api/runs")).rows).toHaveLength(1);
    const lines = text.split("\n");
    const other = home();
    const cut = await testHub({ home: other, files: [write(other, lines.slice(0, 5).join("\n"))] });
    const { row } = await get<Detail>(cut, "/api/runs/s-1");
    expect(row.notice).toMatch(/^The file ends after entry 4 of \d+\.$/);
    expect(row.steps).toBe(2);
    const entry = { seq: 5, at: 1, type: "call", data: { id: "none", set: { phase: "done" } } };
    const odd = [...lines.slice(0, 5), JSON.stringify({ entry })].join("\n");
    const third = home();
    const foreign = await testHub({ home: third, files: [write(third, odd)] });
    const opened = (await get<Detail>(foreign, "/api/runs/s-1")).row;
    expect(opened.notice).toMatch(/^Its last append cannot be read \(.*'none' was never opened\)\.$/);
    expect(opened.steps).toBe(2);
  });

  test("rejects files that are not exports, of another release, or missing", async () => {
    const place = home();
    await expect(testHub({ home: place, files: [write(place, "hello\n")] })).rejects.toThrow(
      /is neither an exported run nor an exported session/,
    );
    await expect(
      testHub({ home: place, files: [write(place, '{"agentchartRun":9,"row":{"runId":"x"}}\n')] }),
    ).rejects.toThrow(/another release/);
    await expect(testHub({ home: place, files: [join(place, "absent")] })).rejects.toThrow(/cannot be read/);
  });
});
