import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { AgentConfig } from "../../src/index.ts";

/** Files and titles of tests, with what is to be said of them. Of a test with cases it is how their titles begin. */
export type Listed = { readonly [fileOrTitle: string]: string };

/** True if the running test, or its file, is in the list. */
export function isListed(list: Listed): boolean {
  const { currentTestName = "", testPath = "" } = expect.getState();
  const [file, title] = [testPath.split("/").at(-1)!, currentTestName.split(" > ").at(-1)!];
  return Object.keys(list).some((name) => name === file || title.startsWith(name));
}

/** False for what `createAgent` is to refuse as it is: nothing can be added to it. */
export function isSound<Ctx>(config: AgentConfig<Ctx>): boolean {
  return typeof config === "object" && config !== null && Array.isArray(config.hooks ?? []);
}

/** What is in the list though the agent suite has no such file or test any more. */
export function goneFrom(list: Listed): string[] {
  const files = ["agent", "event"].flatMap((room) =>
    readdirSync(join(import.meta.dirname, "..", room), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
      .map(({ name, parentPath: folder }) => ({ name, folder })),
  );
  const text = files.map(({ name, folder }) => readFileSync(join(folder, name), "utf8")).join();
  const isThere = (name: string): boolean =>
    files.some((file) => file.name === name) || text.includes(`"${name}`);
  return Object.keys(list).filter((name) => !isThere(name));
}
