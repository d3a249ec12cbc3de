// Tools that read and write files.
import { describe, expect, test } from "vitest";
import { filesSlot, memoryWorkspace } from "agentchart/workspace";
import { coder, textOf } from "./coder.ts";

const textAt = async (workspace: ReturnType<typeof memoryWorkspace>, path: string): Promise<string> =>
  Buffer.from(await workspace.read(path)).toString();

describe("read before write", () => {
  test.each([
    ["write_file", { path: "a.txt", content: "new" }],
    ["edit_file", { path: "a.txt", old_string: "one", new_string: "1" }],
    ["insert_text_file", { file_path: "a.txt", content: "x", line_number: 1 }],
    ["write_text_file", { file_path: "a.txt", content: "x" }],
    ["write_text_file", { file_path: "a.txt", content: "x", ranges: [1, 1] }],
  ] as const)(
    "%s does not change a file that was not read, or that has changed since",
    async (name, input) => {
      const workspace = memoryWorkspace({ files: { "a.txt": "one\n" } });
      const { texts } = coder(workspace);
      const read = ["read_file", { path: "a.txt" }] as const;
      const [unread] = await texts([name, input]);
      expect(unread).toBe("Error: 'a.txt' was not read yet; read it before you change it.");
      await texts(read);
      await workspace.write("a.txt", Buffer.from("one two\n"));
      const [changed] = await texts([name, input]);
      expect(changed).toBe("Error: 'a.txt' has changed since it was read; read it again.");
      expect(await textAt(workspace, "a.txt")).toBe("one two\n");
      const [, done] = await texts(read, [name, input]);
      expect(done).not.toContain("Error");
      expect(await textAt(workspace, "a.txt")).not.toBe("one two\n");
    },
  );

  test("what the agent has written needs no reading, and a new file none either", async () => {
    const workspace = memoryWorkspace();
    const { agent, texts } = coder(workspace);
    expect(
      await texts(
        ["write_file", { path: "src/a.txt", content: "one" }],
        ["edit_file", { path: "./src/a.txt", old_string: "one", new_string: "two" }],
        ["write_file", { path: "/workspace/src/a.txt", content: "three" }],
      ),
    ).toEqual([
      "Created src/a.txt.",
      "Edited ./src/a.txt (+1 −1 lines).",
      "Wrote /workspace/src/a.txt (+1 −1 lines).",
    ]);
    expect(Object.keys((await agent.slots.get(filesSlot)).value)).toEqual(["src/a.txt"]);
  });

  test("a session knows as many files as its slot holds, and forgets the oldest", async () => {
    const names = Array.from({ length: 220 }, (_, at) => `f${at}-${"x".repeat(200)}`);
    const workspace = memoryWorkspace({ files: Object.fromEntries(names.map((name) => [name, name])) });
    const { agent, texts } = coder(workspace);
    for (let at = 0; at < names.length; at += 45)
      await texts(...names.slice(at, at + 45).map((path) => ["read_file", { path }] as const));
    const seen = Object.keys((await agent.slots.get(filesSlot)).value);
    expect(seen.length).toBeGreaterThan(100);
    expect(seen).toEqual(names.slice(-seen.length));
    const [forgotten, kept] = await texts(
      ["write_file", { path: names[0]!, content: "1" }],
      ["write_file", { path: names.at(-1)!, content: "1" }],
    );
    expect(forgotten).toContain("was not read yet");
    expect(kept).toContain("Wrote");
  });

  test("a write of what is there already succeeds: a crash may have cut off the same one", async () => {
    const workspace = memoryWorkspace({ files: { a: "same" } });
    const [done] = await coder(workspace).texts(["write_file", { path: "a", content: "same" }]);
    expect(done).toBe("Wrote a (+0 −0 lines).");
  });
});

describe("texts", () => {
  test("lines come with numbers, as many as fit, and the rest is said", async () => {
    const lines = Array.from({ length: 2_500 }, (_, at) => `line ${at + 1}`);
    const workspace = memoryWorkspace({
      files: { f: `${lines.join("\n")}\n`, wide: `x${"😀".repeat(30_000)}\n`.repeat(40), empty: "" },
    });
    const [all, part, past, wide, empty] = await coder(workspace).texts(
      ["read_file", { path: "f" }],
      ["read_file", { path: "f", offset: 2_499, limit: 1 }],
      ["read_file", { path: "f", offset: 2_501 }],
      ["read_file", { path: "wide" }],
      ["read_file", { path: "empty" }],
    );
    expect(all!.split("\n")).toHaveLength(2_001);
    expect(all).toMatch(/^ {5}1\tline 1\n/u);
    expect(all).toMatch(/\n\[500 more lines; go on with offset 2001\]$/u);
    expect(part).toBe("  2499\tline 2499\n[1 more lines; go on with offset 2500]");
    expect(past).toBe("[The file has 2500 lines; there is no line 2501.]");
    expect(wide!.length).toBeLessThan(52_000);
    expect(wide).toContain("… [60001 characters]");
    expect(wide!.isWellFormed()).toBe(true);
    expect(empty).toBe("[The file is empty.]");
  });

  test.each([
    ["crlf", "\ufeffa\r\nb\r\nc\r\n", "\ufeffa\r\nB\r\nB2\r\nc\r\n"],
    ["lf", "a\nb\nc", "a\nB\nB2\nc"],
    ["mixed", "a\r\nb\nc\n", "a\r\nB\nB2\nc\n"],
  ])("an edit keeps the line ends and the byte order mark of a file with %s", async (path, before, after) => {
    const workspace = memoryWorkspace({ files: { [path]: before } });
    const { texts } = coder(workspace);
    const [read, edited] = await texts(
      ["read_file", { path }],
      ["edit_file", { path, old_string: "b\n", new_string: "B\nB2\n" }],
    );
    expect(read).not.toContain("\ufeff");
    expect(edited).toBe(`Edited ${path} (+2 −1 lines).`);
    expect(await textAt(workspace, path)).toBe(after);
  });

  test("a whole write into a file of CRLF and BOM keeps both", async () => {
    const workspace = memoryWorkspace({ files: { f: "\ufeffa\r\n" } });
    await coder(workspace).texts(
      ["read_file", { path: "f" }],
      ["write_file", { path: "f", content: "x\ny\n" }],
    );
    expect(await textAt(workspace, "f")).toBe("\ufeffx\r\ny\r\n");
  });

  test("an edit says what is wrong with its string", async () => {
    const workspace = memoryWorkspace({ files: { f: "function  a() {\n  return 1;\n}\nreturn 1;\n" } });
    const edit = (old_string: string, new_string = "x") =>
      ["edit_file", { path: "f", old_string, new_string }] as const;
    const [, ...said] = await coder(workspace).texts(
      ["read_file", { path: "f" }],
      edit("return 1;"),
      edit("function a() {"),
      edit("nothing like it"),
      edit(""),
      edit("}", "}"),
      ["edit_file", { path: "missing", old_string: "a", new_string: "b" }],
      ["edit_file", { path: "f", old_string: "return 1;", new_string: "return $& 2;", replace_all: true }],
    );
    expect(said).toEqual([
      "Error: old_string occurs 2 times (lines 2, 4); add context or set replace_all.",
      "Error: old_string is not in the file. The nearest line is 1: function  a() {",
      "Error: old_string is not in the file.",
      "Error: old_string is empty; to write a whole file use write_file.",
      "Error: old_string and new_string are the same.",
      "Error: 'missing' is not in the workspace.",
      "Edited f (+2 −2 lines, 2 places).",
    ]);
    expect(await textAt(workspace, "f")).toBe("function  a() {\n  return $& 2;\n}\nreturn $& 2;\n");
  });

  test("media come as media, told by their bytes, and other bytes are refused", async () => {
    const png = Buffer.from("89504e470d0a1a0a0000000d", "hex");
    const workspace = memoryWorkspace({
      files: { "a.txt": png, "b.bin": Uint8Array.of(1, 0, 2), "c.txt": "ID3 tags" },
    });
    await workspace.write("huge.png", Buffer.concat([png, Buffer.alloc(6_000_000)]));
    await workspace.write("latin1.txt", Uint8Array.of(0xe4, 0x20));
    const [image, binary, text, huge, latin] = await coder(workspace).run(
      ...["a.txt", "b.bin", "c.txt", "huge.png", "latin1.txt"].map(
        (path) => ["read_file", { path }] as const,
      ),
    );
    expect(image!.output).toEqual([
      { type: "image", source: { type: "base64", mediaType: "image/png", data: png.toString("base64") } },
    ]);
    expect(textOf(binary!)).toBe("Error: 'b.bin' is a binary file of 3 bytes.");
    expect(textOf(text!)).toBe("     1\tID3 tags");
    expect(textOf(huge!)).toBe("Error: 'huge.png' is image of 6000012 bytes; the most is 5242880.");
    expect(textOf(latin!)).toBe("Error: 'latin1.txt' is a binary file of 2 bytes.");
  });

  test("the diff of a change is data of its result, bounded", async () => {
    const workspace = memoryWorkspace({ files: { f: "a\nb\nc\n" } });
    const { run, texts } = coder(workspace);
    const [, edited, created] = await run(
      ["read_file", { path: "f" }],
      ["edit_file", { path: "f", old_string: "b", new_string: "B" }],
      ["write_file", { path: "big", content: "some text of a line\n".repeat(9_000) }],
    );
    expect(edited!.metadata).toEqual({
      diff: {
        path: "f",
        change: "edited",
        added: 1,
        removed: 1,
        hunks: [{ oldStart: 1, oldLines: 3, newStart: 1, newLines: 3, lines: [" a", "-b", "+B", " c"] }],
      },
    });
    expect(created!.metadata!["diff"]).toMatchObject({ change: "created", isCut: true, hunks: [] });
    expect(await texts(["write_file", { path: "big", content: "other text\n".repeat(9_000) }])).toEqual([
      "Wrote big (the change is too large to count its lines).",
    ]);
  });
});

describe("refusals", () => {
  test("the model reads them, and their codes are data", async () => {
    const workspace = memoryWorkspace({ files: { ".git/config": "x" } });
    const { run } = coder(workspace);
    const refused = await run(
      ["read_file", { path: "../x" }],
      ["read_file", { path: "missing\u001b[2J\n" }],
      ["read_file", { path: ".git/config" }],
      ["write_file", { path: ".git/config", content: "y" }],
      ["write_file", { path: ".git/hooks/pre-commit", content: "y" }],
    );
    await workspace.close();
    const gone = await run(["list_files", {}]);
    expect([...refused, ...gone].map((result) => [textOf(result), result.metadata?.["code"]])).toEqual([
      ["Error: '../x' is outside of the workspace.", "workspace/bad-path"],
      ["Error: 'missing\ufffd[2J\ufffd' is not in the workspace.", "workspace/not-found"],
      ["     1\tx", undefined],
      ["Error: '.git/config' is protected: it is not written here.", "workspace/protected"],
      ["Error: '.git/hooks/pre-commit' is protected: it is not written here.", "workspace/protected"],
      ["Error: The workspace '/workspace' is closed.", "workspace/gone"],
    ]);
    expect(refused.map(({ state }) => state)).toEqual(["error", "error", "success", "error", "error"]);
  });
});
