import { fork } from "node:child_process";
import { once } from "node:events";
import { createAgent, defineTool } from "agentchart";
import { openaiModel } from "agentchart/openai";
import { cpuMicros, IS_SMOKE, median, quantile, ratios } from "./cpu.ts";
import { loopback } from "./loopback.ts";
import { benchOptions } from "./options.ts";
import { READ_ROOM, readRoom, SIZES, SYSTEM } from "./task.ts";

const {
  positionals: [ordered],
} = benchOptions(
  `Measures the CPU of a run that nobody listens to, with answers that are streamed and with whole ones: each sample in a process of its own.

Usage: npm run bench:unstreamed

  --help  prints this`,
  {},
  { allowPositionals: true },
);

const ROUNDS = IS_SMOKE ? 2 : 20;
const PAIRS = IS_SMOKE ? 1 : 15;
const RUNS = IS_SMOKE ? 1 : 15;

type Variant = { readonly size: keyof typeof SIZES; readonly streaming: boolean; readonly baseURL: string };

/** Runs the task, and returns the CPU µs of one of its model calls after a warm-up. */
async function sample({ size, streaming, baseURL }: Variant): Promise<number> {
  const model = openaiModel({ model: "bench", apiKey: "none", baseURL, streaming });
  let room = 0;
  const tool = defineTool({
    name: READ_ROOM.name,
    description: READ_ROOM.description,
    input: READ_ROOM.parameters,
    execute: () => readRoom(room++, SIZES[size]),
  });
  const run = async (): Promise<void> => {
    const agent = createAgent({
      name: "bench",
      sysPrompt: SYSTEM,
      model,
      tools: [tool],
      maxIters: ROUNDS + 2,
    });
    await agent.call("Go.");
    await agent.close();
  };
  const runs = async (): Promise<void> => {
    for (let count = 0; count < RUNS; count++) await run();
  };
  await runs();
  return (await cpuMicros(runs)) / RUNS / (ROUNDS + 1);
}

async function inProcess(variant: Variant): Promise<number> {
  const child = fork(import.meta.filename, [JSON.stringify(variant)]);
  const [micros] = (await once(child, "message")) as [number];
  await once(child, "exit");
  return micros;
}

if (ordered !== undefined) {
  const micros = await sample(JSON.parse(ordered) as Variant);
  process.send!(micros, () => process.disconnect());
} else {
  console.log("# CPU time of a model call whose answer nobody reads in pieces\n");
  console.log(
    "| answers | streamed, µs | whole, µs | whole ÷ streamed, quartiles |\n| --- | --- | --- | --- |",
  );
  for (const size of Object.keys(SIZES) as (keyof typeof SIZES)[]) {
    const { server, close } = await loopback(size, ROUNDS);
    const samples = { whole: [] as number[], streamed: [] as number[] };
    for (let pair = 0; pair < PAIRS; pair++) {
      const order = pair % 2 === 0 ? [true, false] : [false, true];
      for (const streaming of order)
        samples[streaming ? "streamed" : "whole"].push(
          await inProcess({ size, streaming, baseURL: server.baseURL! }),
        );
    }
    await close();
    const quartiles = [0.25, 0.5, 0.75].map((share) =>
      quantile(ratios(samples.whole, samples.streamed), share).toFixed(2),
    );
    const micros = [samples.streamed, samples.whole].map((values) => median(values).toFixed(0));
    console.log(`| ${[size, ...micros, quartiles.join(" / ")].join(" | ")} |`);
  }
}
