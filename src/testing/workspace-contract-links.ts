import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { AgentError } from "../core/base/error.ts";
import { rejectsWith } from "./contract.ts";
import { bytes, textAt, type WorkspaceTests } from "./workspace-contract-kit.ts";

export const linkTests: WorkspaceTests = {
  "a link within the workspace is followed, and stays one when it is written": async (under) => {
    await under.workspace.write("real/f", bytes("1"));
    await under.link!("real", "dir");
    await under.link!("real/f", "file");
    assert.equal(await textAt(under, "dir/f"), "1");
    await under.workspace.write("file", bytes("2"));
    assert.equal(await textAt(under, "real/f"), "2");
    assert.ok((await under.workspace.list("")).some(({ name, type }) => name === "file" && type === "link"));
  },
  "a link that leads out of the workspace is not followed, wherever it stands in a path": async ({
    workspace,
    link,
    outside,
  }) => {
    await link!(outside!, "out");
    await link!(`${outside}/secret`, "secret");
    await workspace.write("deep/f", bytes("1"));
    await link!("../../..", "deep/up");
    for (const path of ["out/secret", "out", "secret", "deep/up/etc/passwd"]) {
      await rejectsWith(workspace.read(path), "workspace/bad-path");
      await rejectsWith(workspace.write(path, bytes("1")), "workspace/bad-path");
      await rejectsWith(workspace.list(path), "workspace/bad-path");
      await rejectsWith(workspace.stat(path), "workspace/bad-path");
    }
  },
  "removing a link removes the link and not what it leads to": async (under) => {
    await under.workspace.write("f", bytes("1"));
    await under.link!("f", "inside");
    await under.link!(under.outside!, "out");
    await under.workspace.remove("inside");
    await under.workspace.remove("out");
    assert.equal(await textAt(under, "f"), "1");
    assert.deepEqual(
      (await under.workspace.list("")).map(({ name }) => name),
      ["f"],
    );
  },
  "links in a circle are refused": async ({ workspace, link }) => {
    await link!("b", "a");
    await link!("a", "b");
    await rejectsWith(workspace.read("a"), "workspace/bad-path");
    await rejectsWith(workspace.read("a/b/c"), "workspace/bad-path");
  },
  "a link to what is protected does not make it writable": async ({ workspace, link }) => {
    await link!(".git", "alias");
    await link!(".env", "settings");
    await rejectsWith(workspace.write("alias/config", bytes("1")), "workspace/protected");
    await rejectsWith(workspace.write("settings", bytes("1")), "workspace/protected");
  },
  "a directory that is swapped for a link again and again leads nowhere else": async ({
    workspace,
    link,
    outside,
  }) => {
    await workspace.write("d/secret", bytes("ours"));
    const over = new AbortController();
    const swap = async (): Promise<void> => {
      while (!over.signal.aborted) {
        await workspace.remove("d").catch(() => {});
        await link!(outside!, "d").catch(() => {});
        await workspace.remove("d").catch(() => {});
        await workspace.write("d/other", bytes("1")).catch(() => {});
        await workspace.remove("d/other").catch(() => {});
      }
    };
    const swapping = swap();
    try {
      for (let at = 0; at < 60; at++) {
        try {
          const found = Buffer.from(await workspace.read("d/secret")).toString();
          assert.equal(found, "ours", "a link was followed out of the workspace");
        } catch (error) {
          if (!AgentError.is(error)) throw error;
        }
        await workspace.write("d/planted", bytes("1")).catch(() => {});
        await workspace.remove("d/planted").catch(() => {});
      }
    } finally {
      over.abort();
      await swapping;
    }
    await assert.rejects(rm(`${outside}/planted`), { code: "ENOENT" });
  },
};

export const fifoTests: WorkspaceTests = {
  "a FIFO is never opened: reading and writing it are refused at once": async ({ workspace, fifo }) => {
    await fifo!("pipe");
    assert.deepEqual(await workspace.list(""), [{ name: "pipe", type: "other" }]);
    await rejectsWith(workspace.read("pipe"), "workspace/bad-path");
    await rejectsWith(workspace.write("pipe", bytes("1")), "workspace/bad-path");
  },
};
