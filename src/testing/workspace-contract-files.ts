import assert from "node:assert/strict";
import { contentHash } from "../kit/workspace/content-hash.ts";
import { rejectsWith } from "./contract.ts";
import { bytes, textAt, type WorkspaceTests } from "./workspace-contract-kit.ts";

const CRLF_WITH_BOM = Uint8Array.from([0xef, 0xbb, 0xbf, 0x61, 0x0d, 0x0a, 0x62, 0x0d, 0x0a]);

export const fileTests: WorkspaceTests = {
  "what was written is read, byte by byte": async ({ workspace }) => {
    const all = Uint8Array.from({ length: 256 }, (_, at) => at);
    await workspace.write("bytes", all);
    assert.deepEqual([...(await workspace.read("bytes"))], [...all]);
  },
  "bytes that are changed after they were written or read change no file": async (under) => {
    const given = bytes("abc");
    await under.workspace.write("f", given);
    given.fill(0);
    (await under.workspace.read("f")).fill(0);
    assert.equal(await textAt(under, "f"), "abc");
  },
  "line ends and a byte order mark are kept": async ({ workspace }) => {
    await workspace.write("crlf.txt", CRLF_WITH_BOM);
    assert.deepEqual([...(await workspace.read("crlf.txt"))], [...CRLF_WITH_BOM]);
  },
  "an empty file is one": async ({ workspace }) => {
    await workspace.write("empty", bytes(""));
    assert.equal((await workspace.read("empty")).length, 0);
    assert.equal((await workspace.stat("empty"))?.size, 0);
  },
  "a write makes the directories that lead to the file": async (under) => {
    await under.workspace.write("a/b/c.txt", bytes("deep"));
    assert.equal(await textAt(under, "a/b/c.txt"), "deep");
    assert.equal((await under.workspace.stat("a/b"))?.type, "directory");
  },
  "a write replaces the whole content, also by a shorter one": async (under) => {
    await under.workspace.write("f", bytes("a long content"));
    await under.workspace.write("f", bytes("short"));
    assert.equal(await textAt(under, "f"), "short");
  },
  "an absolute path in the root is the path in the workspace": async (under) => {
    await under.workspace.write(`${under.workspace.root}/x/./y.txt`, bytes("1"));
    assert.equal(await textAt(under, "x//y.txt"), "1");
    assert.equal(await textAt(under, "./z/../x/y.txt"), "1");
  },
  "a list is sorted and says what is a directory": async ({ workspace }) => {
    for (const path of ["b.txt", "a/1", "a/2", "Z"]) await workspace.write(path, bytes("x"));
    assert.deepEqual(await workspace.list(""), [
      { name: "Z", type: "file" },
      { name: "a", type: "directory" },
      { name: "b.txt", type: "file" },
    ]);
    assert.deepEqual(
      (await workspace.list("a")).map(({ name }) => name),
      ["1", "2"],
    );
  },
  "the size of a file is its bytes": async ({ workspace }) => {
    await workspace.write("ü", bytes("üü"));
    const found = await workspace.stat("ü");
    assert.equal(found?.type, "file");
    assert.equal(found.size, 4);
    assert.ok(found.modifiedAt > 0);
  },
  "nothing is at a path that was removed": async ({ workspace }) => {
    await workspace.write("f", bytes("1"));
    await workspace.remove("f");
    assert.equal(await workspace.stat("f"), undefined);
    await rejectsWith(workspace.read("f"), "workspace/not-found");
    await rejectsWith(workspace.remove("f"), "workspace/not-found");
  },
  "a directory is not read, written or removed as a file, nor a file listed": async ({ workspace }) => {
    await workspace.write("d/f", bytes("1"));
    await rejectsWith(workspace.read("d"), "workspace/bad-path");
    await rejectsWith(workspace.write("d", bytes("1")), "workspace/bad-path");
    await rejectsWith(workspace.remove("d"), "workspace/bad-path");
    await rejectsWith(workspace.list("d/f"), "workspace/bad-path");
    await rejectsWith(workspace.write("d/f/g", bytes("1")), "workspace/bad-path");
  },
  "names that differ by case are two files, or one, and never a mixture": async (under) => {
    const { workspace } = under;
    await workspace.write("Case.txt", bytes("1"));
    await workspace.write("case.txt", bytes("2"));
    const names = (await workspace.list("")).map(({ name }) => name);
    assert.equal(await textAt(under, "Case.txt"), names.length === 2 ? "1" : "2");
    assert.equal(await textAt(under, "case.txt"), "2");
  },
  "names of spaces, quotes, line ends and dashes are names": async (under) => {
    for (const name of [" a b ", 'it\'s "q"', "-rf", "a\nb", "$(x)", "*", "ёж"]) {
      await under.workspace.write(`odd/${name}`, bytes(name));
      assert.equal(await textAt(under, `odd/${name}`), name);
    }
    assert.equal((await under.workspace.list("odd")).length, 7);
  },
  "a file that is larger than may be read is refused": async ({ workspace }) => {
    await workspace.write("big", new Uint8Array(1001));
    await rejectsWith(workspace.read("big", { maxBytes: 1000 }), "workspace/bad-path");
    assert.equal((await workspace.read("big", { maxBytes: 1001 })).length, 1001);
  },
};

export const expectedTests: WorkspaceTests = {
  "a write that expects the present content replaces it": async (under) => {
    await under.workspace.write("f", bytes("1"));
    await under.workspace.write("f", bytes("2"), { expected: contentHash(bytes("1")) });
    assert.equal(await textAt(under, "f"), "2");
  },
  "a write that expects another content, or a file that is gone, is refused and changes nothing": async (
    under,
  ) => {
    const expected = contentHash(bytes("1"));
    await under.workspace.write("f", bytes("2"));
    await rejectsWith(under.workspace.write("f", bytes("3"), { expected }), "workspace/changed");
    assert.equal(await textAt(under, "f"), "2");
    await rejectsWith(under.workspace.write("g", bytes("3"), { expected }), "workspace/changed");
    assert.equal(await under.workspace.stat("g"), undefined);
  },
  "a write that expects no file makes one, once": async (under) => {
    await under.workspace.write("f", bytes("1"), { expected: null });
    await rejectsWith(under.workspace.write("f", bytes("2"), { expected: null }), "workspace/changed");
    assert.equal(await textAt(under, "f"), "1");
  },
  "of writes at the same time that expect the same content one happens": async (under) => {
    await under.workspace.write("f", bytes("0"));
    const expected = contentHash(bytes("0"));
    const writes = Array.from({ length: 8 }, (_, at) =>
      under.workspace.write("f", bytes(`writer ${at}`), { expected }),
    );
    const settled = await Promise.allSettled(writes);
    assert.equal(settled.filter(({ status }) => status === "fulfilled").length, 1);
    assert.match(await textAt(under, "f"), /^writer \d$/u);
  },
  "a reader sees the old content or the new one": async (under) => {
    const contents = ["a", "b"].map((letter) => letter.repeat(100_000));
    await under.workspace.write("f", bytes(contents[0]!));
    const writing = (async () => {
      for (let at = 0; at < 10; at++) await under.workspace.write("f", bytes(contents[at % 2]!));
    })();
    for (let at = 0; at < 20; at++) assert.ok(contents.includes(await textAt(under, "f")), "a part was read");
    await writing;
    assert.deepEqual(
      (await under.workspace.list("")).map(({ name }) => name),
      ["f"],
    );
  },
};

export const boundaryTests: WorkspaceTests = {
  "a path that leaves the root is refused by every method": async ({ workspace }) => {
    for (const path of [
      "../x",
      "a/../../x",
      "/etc/passwd",
      `${workspace.root}/../x`,
      `${workspace.root}x/y`,
    ]) {
      await rejectsWith(workspace.read(path), "workspace/bad-path");
      await rejectsWith(workspace.write(path, bytes("1")), "workspace/bad-path");
      await rejectsWith(workspace.list(path), "workspace/bad-path");
      await rejectsWith(workspace.stat(path), "workspace/bad-path");
      await rejectsWith(workspace.remove(path), "workspace/bad-path");
    }
  },
  "a zero character, and a name or a path that is too long are refused": async ({ workspace }) => {
    for (const path of ["a\0b", "x".repeat(256), "ü".repeat(128), "a/".repeat(5000)])
      await rejectsWith(workspace.write(path, bytes("1")), "workspace/bad-path");
  },
  "the root itself is neither written nor removed": async ({ workspace }) => {
    for (const path of ["", ".", "a/..", workspace.root]) {
      await rejectsWith(workspace.write(path, bytes("1")), "workspace/bad-path");
      await rejectsWith(workspace.remove(path), "workspace/bad-path");
    }
  },
  "what is protected is not written or removed, also in another case and deeper": async ({ workspace }) => {
    for (const path of [
      ".git/config",
      ".GIT/hooks/x",
      "sub/.git/config",
      ".env",
      ".ENV.local",
      ".g\u200bit/x",
      ".git./x",
    ]) {
      assert.equal(workspace.isProtected(path), true, path);
      await rejectsWith(workspace.write(path, bytes("1")), "workspace/protected");
      await rejectsWith(workspace.remove(path), "workspace/protected");
    }
    assert.equal(workspace.isProtected("src/environment.ts"), false);
    assert.deepEqual(await workspace.list(""), []);
  },
  "a workspace that was closed is gone": async ({ workspace }) => {
    await workspace.close();
    await workspace.close();
    await rejectsWith(workspace.read("f"), "workspace/gone");
    await rejectsWith(workspace.write("f", bytes("1")), "workspace/gone");
    await rejectsWith(workspace.list(""), "workspace/gone");
  },
};

export const vanishTests: WorkspaceTests = {
  "a workspace whose storage was taken away is said to be gone, and is not made again": async ({
    workspace,
    vanish,
  }) => {
    await workspace.write("f", bytes("1"));
    await vanish!();
    await rejectsWith(workspace.read("f"), "workspace/gone");
    await rejectsWith(workspace.write("new/f", bytes("1")), "workspace/gone");
    await rejectsWith(workspace.list(""), "workspace/gone");
    await rejectsWith(workspace.stat("f"), "workspace/gone");
  },
};
