// Options that are given twice.
import type { Option } from "commander";
import { describe, expect, test } from "vitest";
import { UsageError } from "../../src/cli/usage-error.ts";
import { allCommands, openProgram } from "./program.ts";

/** Each option of each command that takes a value, with two values that it accepts. */
const options = allCommands().flatMap((command) =>
  command.options
    .filter(({ required, optional }) => required || optional)
    .map((option) => ({
      command: command.path.split(" ").slice(1).join(" "),
      flag: option.long!,
      flags: option.flags,
      isRepeatable: option.description.includes("(repeatable)"),
      values: valuesOf(option),
    })),
);

function valuesOf(option: Option): readonly [string, string] {
  const accepted = [
    ...(option.argChoices ?? []),
    "1",
    "2",
    "30d",
    "45s",
    "5/s",
    "6/s",
    "https://a.example",
  ].filter((text) => {
    try {
      option.parseArg?.(text, undefined);
      return true;
    } catch {
      return false;
    }
  });
  return [accepted[0]!, accepted[1] ?? accepted[0]!];
}

function parse(command: string, args: readonly string[]): void {
  openProgram()
    .program.find(command.split(" "))
    .parseOptions([...args]);
}

describe("An option that is given twice", () => {
  const single = options.filter(({ isRepeatable }) => !isRepeatable);
  const repeatable = options.filter(({ isRepeatable }) => isRepeatable);

  test("is one of many", () => {
    expect(single.length).toBeGreaterThan(80);
    expect(repeatable.length).toBeGreaterThan(15);
  });

  test.for(single)("is refused: $command $flag", ({ command, flag, flags, values: [first, second] }) => {
    const refused = new UsageError(`Option '${flags}' takes one value, and is given more than once.`);
    expect(() => parse(command, [flag, first])).not.toThrow();
    expect(() => parse(command, [flag, first, flag, second])).toThrow(refused);
    expect(() => parse(command, [flag, first, `${flag}=${first}`])).toThrow(refused);
    expect(() => parse(command, [`${flag}=${first}`, "--debug", `${flag}=${second}`])).toThrow(refused);
    expect(() => parse(command, [flag, first, "--", flag, second])).not.toThrow();
  });

  test.for(repeatable)("is taken twice: $command $flag", ({ command, flag, values: [first, second] }) => {
    const { program } = openProgram();
    const found = program.find(command.split(" "));
    found.parseOptions([flag, first, `${flag}=${second}`]);
    const [option] = found.options.filter(({ long }) => long === flag);
    expect(found.getOptionValue(option!.attributeName())).toEqual([first, second]);
  });
});
