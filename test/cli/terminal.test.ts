import { describe, expect, test } from "vitest";
import { nearestName } from "../../src/base/nearest-name.ts";
import { openTerminal, type Environment } from "../../src/cli/terminal.ts";

function screen(isTTY: { readonly stdout: boolean; readonly stderr: boolean }, env: Environment = {}) {
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

  test("shows notes in colour and breaks an open line before them", () => {
    const { terminal, written } = screen(onScreen);
    terminal.say("Half a");
    terminal.note("a step");
    terminal.say("line");
    terminal.endLine();
    expect(written.both).toBe("Half a\n\u001b[2ma step\u001b[0m\nline\n");
  });

  test("shows no colours with NO_COLOR or TERM=dumb", () => {
    for (const env of [{ NO_COLOR: "1" }, { TERM: "dumb" }]) {
      const { terminal, written } = screen(onScreen, env);
      terminal.think("hm");
      terminal.fail("no");
      expect(written.both).toBe("hm\nno\n");
    }
  });

  test("takes control sequences out of what a model says and a tool answers", () => {
    const { terminal, written } = screen(onScreen, { NO_COLOR: "1" });
    terminal.say("a\u001b]0;title\u0007b\tc\n");
    terminal.note("x\u001b[2Jy\nz");
    expect(written.both).toBe("a]0;titleb\tc\nx[2Jy z\n");
  });

  test("leaves the model's words as they are in a file, also when a note comes between", () => {
    const { terminal, written } = screen({ stdout: false, stderr: true });
    terminal.say("Half a ");
    terminal.note("a step");
    terminal.say("line\u0007");
    terminal.endLine();
    expect(written.stdout).toBe("Half a line\u0007\n");
  });

  test("shows thoughts on a screen only", () => {
    const { terminal, written } = screen({ stdout: true, stderr: false });
    terminal.think("hm");
    terminal.note("a step");
    expect(written.both).toBe("a step\n");
  });
});

describe("The nearest name", () => {
  const names = ["model", "base-url", "tools", "system", "max-iters", "json", "debug", "help"];

  test.for([
    ["modle", "model"],
    ["tool", "tools"],
    ["jsn", "json"],
    ["url", "base-url"],
    ["baseurl", "base-url"],
    ["max-iter", "max-iters"],
    ["max-iterss", "max-iters"],
    ["verbose", undefined],
    ["x", undefined],
  ] as const)("of %s is %s", ([word, name]) => {
    expect(nearestName(word, names)).toBe(name);
  });
});
