// llms.txt lists each page, and is current.
import { join } from "node:path";
import { expect, test } from "vitest";
import { llmsText } from "../../scripts/llms.mjs";
import { ROOT } from "./source-files.ts";

// `npx vitest run test/project/llms.test.ts -u` writes it.
test("llms.txt lists the pages of the documentation as they are", async () => {
  await expect(llmsText()).toMatchFileSnapshot(join(ROOT, "llms.txt"));
});
