// The pages of the reference are made of the definitions in the code.
import { join } from "node:path";
import { expect, test } from "vitest";
import { cliPage } from "./reference/cli-page.ts";
import { eventsPage } from "./reference/events-page.ts";
import { httpPage } from "./reference/http-page.ts";
import { telemetryPage } from "./reference/telemetry-page.ts";
import { ROOT } from "./source-files.ts";

// `npx vitest run test/project/reference.test.ts -u` writes them.
test.for([
  ["cli", cliPage],
  ["events", eventsPage],
  ["http", httpPage],
  ["telemetry", telemetryPage],
] as const)("docs/reference/%s.md says what the code defines", async ([name, page]) => {
  await expect(await page()).toMatchFileSnapshot(join(ROOT, `docs/reference/${name}.md`));
});
