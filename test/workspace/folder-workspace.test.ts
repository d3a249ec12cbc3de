// A folder as a workspace, and what it refuses.
import { chmodSync, existsSync, realpathSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { folderWorkspace, memoryWorkspace } from "agentchart/workspace";
import { etcArgs } from "../../src/kit/workspace/bubblewrap.ts";
import { outcome } from "../../src/testing/workspace-contract-kit.ts";
import { folderUnderTest, scratchFolder } from "./folder.ts";

function folder() {
  const scratch = scratchFolder();
  onTestFinished(scratch.remove);
  return scratch;
}

describe("what is refused", () => {
  test.each([
    ["a root that is not there", { root: "/no/such/folder" }, /`root` '\/no\/such\/folder' is not there/u],
    ["a root that is a file", { root: import.meta.filename }, /is a file, and not a folder/u],
    ["the whole file system", { root: "/" }, /expected a folder in it/u],
    ["no root", {}, /`root` is missing|`root` .*expected|needs `root`/u],
    ["an unknown option", { root: "/tmp", sandBox: "none" }, /did you mean `sandbox`\?/u],
    ["an unknown sandbox", { root: "/tmp", sandbox: "docker" }, /`sandbox`/u],
    ["a relative folder to read", { root: "/tmp", readable: ["x"] }, /`readable\[0\]`/u],
  ])("%s", async (_, options, message) => {
    const opened = folderWorkspace(options as never);
    await expect(opened).rejects.toMatchObject({
      code: "config/invalid",
      message: expect.stringMatching(message),
    });
  });

  test("commands without a sandbox, unless it is said", async () => {
    const { root } = folder();
    const missing = folderWorkspace({ root, bubblewrap: "/no/bwrap" });
    await expect(missing).rejects.toMatchObject({
      code: "config/invalid",
      message: expect.stringMatching(
        /there is no sandbox for commands: .*`commands: false`.*`sandbox: "none"`/u,
      ),
    });
    expect((await folderWorkspace({ root, bubblewrap: "/no/bwrap", commands: false })).exec).toBeUndefined();
    expect((await folderWorkspace({ root, sandbox: "none" })).sandboxed).toBe(false);
  });

  test.runIf(process.platform === "linux")("a sandbox that cannot be made, with what it says", async () => {
    const { root } = folder();
    const bwrap = join(root, "bwrap");
    writeFileSync(bwrap, "#!/bin/sh\necho 'bwrap: No permissions to create a new namespace' >&2; exit 1\n");
    chmodSync(bwrap, 0o755);
    await expect(folderWorkspace({ root, bubblewrap: bwrap })).rejects.toMatchObject({
      code: "config/invalid",
      message: expect.stringMatching(
        /cannot make a sandbox here: bwrap: No permissions .*needs user namespaces/u,
      ),
    });
  });

  test("files of a memory workspace that are neither text nor bytes", () => {
    expect(() => memoryWorkspace({ files: { a: 1 } } as never)).toThrow(/neither text nor bytes at 'a'/u);
    expect(() => memoryWorkspace({ files: { "../a": "1" } })).toThrow(/outside of the workspace/u);
  });
});

test("a write keeps the mode of the file, and a new file has that of the user", async () => {
  const { workspace, root, dispose } = await folderUnderTest({ commands: false });
  onTestFinished(dispose);
  writeFileSync(join(root, "run.sh"), "1", { mode: 0o750 });
  await workspace.write("run.sh", Buffer.from("2"));
  await workspace.write("new", Buffer.from("2"));
  expect(statSync(join(root, "run.sh")).mode & 0o777).toBe(0o750);
  expect(statSync(join(root, "new")).mode & 0o111).toBe(0);
});

test("a command without a sandbox has no variable of this process", async () => {
  const { workspace, dispose } = await folderUnderTest({ sandbox: "none", env: { GIVEN: "1" } });
  onTestFinished(dispose);
  process.env["AGENTCHART_HIDDEN"] = "1";
  onTestFinished(() => void Reflect.deleteProperty(process.env, "AGENTCHART_HIDDEN"));
  const { stdout } = await outcome({ workspace }, "env");
  const names = stdout
    .trimEnd()
    .split("\n")
    .map((line) => line.split("=")[0]!);
  expect(names.filter((name) => !/^(?:PWD|OLDPWD|SHLVL|_)$/u.test(name)).toSorted()).toEqual([
    "AGENTCHART_COMMAND",
    "GIVEN",
    "HOME",
    "LANG",
    "PATH",
    "TERM",
  ]);
});

test("a command that is too long for the system says that it cannot be started", async () => {
  const { workspace, dispose } = await folderUnderTest({ sandbox: "none" });
  onTestFinished(dispose);
  const ran = outcome({ workspace }, `echo ${"x".repeat(4_000_000)}`);
  await expect(ran).rejects.toMatchObject({
    code: "workspace/failed",
    message: expect.stringContaining("cannot be started: spawn E2BIG"),
  });
});

test("a folder that is replaced by another one is gone", async () => {
  const { workspace, root, vanish, dispose } = await folderUnderTest({ sandbox: "none" });
  onTestFinished(dispose);
  await vanish();
  const { mkdirSync } = await import("node:fs");
  mkdirSync(root);
  await expect(workspace.write("a", Buffer.from("1"))).rejects.toMatchObject({ code: "workspace/gone" });
  const ran = outcome({ workspace }, "touch ran");
  await expect(ran).rejects.toMatchObject({ code: "workspace/gone" });
  expect(existsSync(join(root, "ran"))).toBe(false);
});

test("links of /etc that lead to nothing are passed over, as in an image without time zones", () => {
  const { root } = folder();
  writeFileSync(join(root, "zone"), "");
  symlinkSync(join(root, "zone"), join(root, "hosts"));
  symlinkSync(join(root, "gone"), join(root, "localtime"));
  writeFileSync(join(root, "shadow"), "");
  expect(etcArgs(false, root)).toEqual(["--ro-bind", realpathSync(join(root, "zone")), "/etc/hosts"]);
});
