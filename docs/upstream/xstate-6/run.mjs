// npm run spike:xstate-6 [-- files]: runs tests of the chart on XState 6, which it installs into a temporary folder.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const VERSION = "6.0.0-alpha.52";

const root = join(import.meta.dirname, "../../..");
const folder = mkdtempSync(join(tmpdir(), "xstate-6-"));
const tests = process.argv.slice(2);
try {
  execFileSync("npm", ["install", "--prefix", folder, "--ignore-scripts", "--silent", `xstate@${VERSION}`], {
    stdio: "inherit",
  });
  const args = ["run", "--config", join(import.meta.dirname, "vitest.config.ts"), ...tests];
  const { status } = spawnSync(join(root, "node_modules/.bin/vitest"), args, {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, XSTATE_6: join(folder, "node_modules/xstate/dist/xstate.development.esm.js") },
  });
  process.exitCode = status ?? 1;
} finally {
  rmSync(folder, { recursive: true });
}
