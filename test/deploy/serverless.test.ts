// test/deploy specifies that the function of docs/deploy.md dispatches: an input is stored once, however often it is called.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { BARE_ENV } from "../support/bare-env.ts";
import { NO_POSTGRES, startPostgres } from "../support/postgres.ts";
import { ROOT } from "../project/source-files.ts";

const [, code = ""] = /^## Serverless$[^]*?^```ts\n([^]*?)^```$/m.exec(
  readFileSync(join(ROOT, "docs/deploy.md"), "utf8"),
)!;
const USE = `
  import { handler } from "./handler.ts";
  for (const _ of [1, 2]) console.log((await handler({ id: "ticket-17", text: "Hello" })).state);
  process.exit();
`;

test("A function stores an input and ends; called again with the same id, it stores nothing", async ({
  skip,
}) => {
  const postgres = await startPostgres();
  if (!postgres) return skip(NO_POSTGRES);
  onTestFinished(postgres.stop);
  const folder = join(import.meta.dirname, ".serverless"); // in the repository, where the packages are
  mkdirSync(folder, { recursive: true });
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "handler.ts"), code);
  writeFileSync(join(folder, "use.ts"), USE);
  const printed = execFileSync(process.execPath, ["--conditions=agentchart-source", join(folder, "use.ts")], {
    env: { ...BARE_ENV, DATABASE_URL: postgres.connectionString },
    encoding: "utf8",
  });
  expect(printed).toBe("accepted\nduplicate\n");
});
