// No host of models refuses a request of the golden runs.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ModelRequest } from "agentchart";
import { afterAll, describe, expect, test } from "vitest";
import { refusalsOf } from "../../support/every-host.ts";
import { adapter } from "../conformance/adapter.ts";
import { watched } from "../conformance/adapter/model.ts";
import { runScenario } from "../conformance/runner/runner.mjs";

const folder = join(import.meta.dirname, "../conformance/scenarios");
const files = readdirSync(folder).filter((file) => file.endsWith(".json"));

type ScenarioFile = { readonly scenarios: readonly { readonly id: string }[] };

let sent = 0;

afterAll(() => {
  watched.onRequest = undefined;
});

describe("no host refuses a request of the golden runs", () => {
  test.each(files.toSorted())("%s", async (file) => {
    const { scenarios } = JSON.parse(readFileSync(join(folder, file), "utf8")) as ScenarioFile;
    const requests: ModelRequest[] = [];
    watched.onRequest = (request) => requests.push(request);
    for (const scenario of scenarios) await runScenario(scenario, adapter);
    watched.onRequest = undefined;
    sent += requests.length;
    expect(await refusalsOf(requests)).toEqual([]);
  });

  test("there were hundreds of them", () => {
    expect(sent).toBeGreaterThan(200);
  });
});
