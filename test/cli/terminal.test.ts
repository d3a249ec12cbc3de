// Notes, progress and stack traces in a terminal.
import { describe, expect, test } from "vitest";
import type { CliIo } from "../../src/cli/cli-io.ts";
import { stackTrace } from "../../src/cli/error-message.ts";
import { printReport, table } from "../../src/cli/output.ts";
import { openTerminal, type Environment } from "../../src/cli/terminal.ts";

function openScreen(isTTY: { readonly stdout: boolean; readonly stderr: boolean }, env: Environment = {}) {
  const written = { stdout: "", stderr: "", both: "" };
  const output = (name: "stdout" | "stderr") => ({
    isTTY: isTTY[name],
    write(text: string) {
      written[name] += text;
      written.both += text;
    },
  });
  return { written, terminal: openTerminal(output("stdout"), output("stderr"), env) };
}

describe("A terminal", () => {
  const onScreen = { stdout: true, stderr: true };

  test("prints notes in color and ends an open line before them", () => {
    const { terminal, written } = openScreen(onScreen);
    terminal.text("Half a");
    terminal.note("a step");
    terminal.text("line");
    terminal.endLine();
    expect(written.both).toBe("Half a\n\u001b[2ma step\u001b[0m\nline\n");
  });

  test("prints no colors with NO_COLOR or TERM=dumb", () => {
    for (const env of [{ NO_COLOR: "1" }, { TERM: "dumb" }]) {
      const { terminal, written } = openScreen(onScreen, env);
      terminal.thinking("hm");
      terminal.fail("no");
      expect(written.both).toBe("hm\nno\n");
    }
  });

  test("removes control sequences from the text of a model and of a tool", () => {
    const { terminal, written } = openScreen(onScreen, { NO_COLOR: "1" });
    terminal.text("a\u001b]0;title\u0007b\tc\n");
    terminal.note("x\u001b[2Jy\nz");
    expect(written.both).toBe("a]0;titleb\tc\nx[2Jy z\n");
  });

  test("removes control sequences from a report, which are escaped in its JSON", () => {
    const report = { text: "a\u001b]0;title\u0007b\u009bc\n\td" };
    for (const [json, text] of [
      [false, "a]0;titlebc\n\td\n"],
      [true, `${JSON.stringify(report)}\n`],
    ] as const) {
      const written: string[] = [];
      const stdout = { isTTY: true, write: (part: string) => written.push(part) };
      printReport({ stdout } as unknown as CliIo, { json }, report, (given) => given.text);
      expect(written.join("")).toBe(text);
    }
  });

  test("writes the model's text unchanged to a file, also around a note", () => {
    const { terminal, written } = openScreen({ stdout: false, stderr: true });
    terminal.text("Half a ");
    terminal.note("a step");
    terminal.text("line\u0007");
    terminal.endLine();
    expect(written.stdout).toBe("Half a line\u0007\n");
  });

  test("shows thinking on a screen only", () => {
    const { terminal, written } = openScreen({ stdout: true, stderr: false });
    terminal.thinking("hm");
    terminal.note("a step");
    expect(written.both).toBe("a step\n");
  });
});

test("a table may have any number of rows", () => {
  const rows = Array.from({ length: 200_000 }, () => ["a", "b"]);
  expect(table(["ID", "WHAT"], rows).slice(0, 17)).toBe("ID  WHAT\na   b\na ");
});

test("a stack trace has at most eight causes, of any kind", () => {
  const circle = new Error("circle");
  circle.cause = circle;
  for (const error of [Array.from({ length: 20 }).reduce((cause) => new Error("e", { cause })), circle])
    expect(stackTrace(error).split("\nCaused by: ")).toHaveLength(8);
  expect(stackTrace(new Error("a", { cause: "b" }))).toMatch(/^Error: a\n[^]*\nCaused by: b$/);
  expect(stackTrace(undefined)).toBe("");
  expect(stackTrace(null)).toBe("null");
});
