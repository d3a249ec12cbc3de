// The agents of `agentchart dev`, and the files from which they are loaded again.
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { AgentsHost } from "../../../src/cli/dev/agents-host.ts";
import { FileWatch } from "../../../src/cli/dev/file-watch.ts";
import { versionOf } from "../../../src/cli/dev/loaded-files.ts";
import { startHub } from "../../../src/inspect/hub/start-hub.ts";
import { inProcessQueue } from "../../../src/worker/queue/in-process.ts";
import { scratch } from "../../store/scratch.ts";

const AGENTS = 'export default { desk: () => ({ name: "desk", model: { name: "m", async *stream() {} } }) };';

function folder(): string {
  const { dir, remove } = scratch();
  onTestFinished(remove);
  return dir;
}

test("a file that is written while the agents are loaded for the first time is loaded instead", async () => {
  const dir = folder();
  const [file, begun] = [join(dir, "agents.mjs"), join(dir, "begun")];
  const never = `import fs from "node:fs";
    fs.writeFileSync(${JSON.stringify(begun)}, "");
    await new Promise((resolve) => setTimeout(resolve, 60_000));`;
  writeFileSync(file, `${never}\n${AGENTS}`);
  const hub = await startHub({ host: "127.0.0.1", port: 0 });
  onTestFinished(() => hub.close());
  const queue = inProcessQueue();
  const host = new AgentsHost({
    thread: { file, store: `sqlite:${join(dir, "s.db")}`, inspect: hub.workerUrl, queue },
    files: [],
    drainMs: 100,
    onLoaded: () => {},
    onBroken: () => {},
    onCrash: () => {},
    onLog: () => {},
  });
  onTestFinished(() => host.close());
  const started = host.start();
  await expect.poll(() => existsSync(begun)).toBe(true);
  writeFileSync(file, AGENTS);
  expect(await started).toMatchObject({ names: ["desk"], problems: [] });
});

test("files of a folder that is deleted and made again are watched", async () => {
  const sources = join(folder(), "sources");
  const path = join(sources, "tools.ts");
  const write = (text: string): void => {
    mkdirSync(sources, { recursive: true });
    writeFileSync(path, text);
  };
  let changed = Promise.withResolvers<readonly string[]>();
  const watch = new FileWatch((paths) => changed.resolve(paths));
  onTestFinished(() => watch.close());
  write("1");
  watch.add({ path, version: versionOf(path) });
  for (const text of ["two", "three", "seven"]) {
    changed = Promise.withResolvers();
    if (text === "two") rmSync(sources, { recursive: true });
    write(text);
    expect(await changed.promise).toEqual([path]);
    watch.add({ path, version: versionOf(path) }); // it is loaded again
  }
});
