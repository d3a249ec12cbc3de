// The check of the version of Node.js.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { nodeVersionProblem } from "../../src/core/base/node-version.ts";
import { ROOT } from "../project/source-files.ts";

const problemOf = (node: string, others: object = {}): string | undefined =>
  nodeVersionProblem({ versions: { ...process.versions, node, ...others }, execPath: "/usr/bin/node" });

test("a Node.js that `engines` excludes is named in one line, with the one that is needed", () => {
  const { engines } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
    readonly engines: { readonly node: string };
  };
  expect(problemOf("18.19.0")).toBe(
    "agentchart needs Node.js >= 22.18; this is v18.19.0 (/usr/bin/node). Install Node.js 24.",
  );
  expect(problemOf("22.17.1")).toContain(`Node.js ${engines.node.replace(">=", ">= ")};`);
  expect(problemOf("20.99.99")).not.toContain("\n");
});

test.each(["22.18.0", "22.20.1", "23.0.0", "24.0.0", "100.1.0"])("Node.js %s is new enough", (version) => {
  expect(problemOf(version)).toBeUndefined();
});

test.each(["bun", "deno"])("the Node.js version that %s claims is not checked", (runtime) => {
  expect(problemOf("20.0.0", { [runtime]: "1.0.0" })).toBeUndefined();
});
