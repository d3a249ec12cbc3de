// Gives the tests of a run a temporary folder of their own, which is removed at the end with what they left in it.
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export default function ownTempFolder(): () => void {
  const folder = mkdtempSync(join(tmpdir(), "agentchart-tests-"));
  chmodSync(folder, 0o711); // Postgres runs as another user
  process.env["TMPDIR"] = folder;
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}
