// Files of a user that throw while they are loaded.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { importFile } from "../../src/cli/import-file.ts";

test.each(["undefined", "null", "'no'", "new Error('no')"])(
  "importFile names a file that throws %s",
  async (thrown) => {
    const dir = mkdtempSync(join(tmpdir(), "agentchart-import-"));
    onTestFinished(() => rmSync(dir, { recursive: true }));
    const file = join(dir, "tools.js");
    writeFileSync(file, `throw ${thrown};`);
    await expect(importFile(file, "tools")).rejects.toMatchObject({
      code: "config/invalid",
      message: expect.stringContaining("tools.js"),
    });
  },
);
