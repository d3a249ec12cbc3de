/** What is needed of `process.stdout` and `process.stderr`. */
export type Output = { readonly isTTY?: boolean; write(text: string): unknown };

export type Environment = { readonly [name: string]: string | undefined };

/** Where a person reads along: the model's words on stdout, everything else on stderr. */
export type Terminal = {
  /** Goes on with the model's words. */
  say(text: string): void;
  /** Goes on with what the model thinks; shown in a terminal only. */
  think(text: string): void;
  /** Ends the line that is open, if any. */
  endLine(): void;
  /** One line of progress. */
  note(line: string): void;
  /** One line that must be seen. */
  warn(line: string): void;
  /** One line that must be seen whole, such as a command to be copied. */
  hint(line: string): void;
  /** One line that says what went wrong. */
  fail(line: string): void;
};

const STYLES = { dim: 2, bold: 1, red: 31 } as const;

/** Colours are for terminals, and not if `NO_COLOR` is set or the terminal is dumb. */
export function openTerminal(stdout: Output, stderr: Output, env: Environment): Terminal {
  const isPlain = !stderr.isTTY || Boolean(env["NO_COLOR"]) || env["TERM"] === "dumb";
  const styled = (text: string, style: keyof typeof STYLES): string =>
    isPlain ? text : `\u001b[${STYLES[style]}m${text}\u001b[0m`;
  /** The stream whose last line has not been ended. */
  let open: Output | undefined;

  const endLine = (): void => {
    open?.write("\n");
    open = undefined;
  };
  /** Keeps apart what meets on one screen; a file gets the model's words as they are. */
  const leave = (output: Output): void => {
    if (open !== output && open?.isTTY) endLine();
  };
  const goOn = (output: Output, text: string, shown: string): void => {
    if (text === "") return;
    leave(output);
    output.write(shown);
    open = text.endsWith("\n") ? undefined : output;
  };
  const line = (text: string, style: keyof typeof STYLES): void => {
    if (open === stderr) endLine();
    leave(stderr);
    stderr.write(`${styled(text, style)}\n`);
  };

  return {
    say(text) {
      const shown = stdout.isTTY ? harmless(text) : text;
      goOn(stdout, shown, shown);
    },
    think(text) {
      if (stderr.isTTY) goOn(stderr, harmless(text), styled(harmless(text), "dim"));
    },
    endLine,
    note: (text) => line(oneLine(text), "dim"),
    warn: (text) => line(oneLine(text), "bold"),
    hint: (text) => line(harmless(text), "bold"),
    fail: (text) => line(oneLine(text), "red"),
  };
}

/** Text that may not move the cursor, ring or rename the window. */
function harmless(text: string): string {
  return text.replace(/(?![\n\t])\p{Cc}/gu, "");
}

/** Text on one line, cut where nobody reads on. */
export function oneLine(text: string, length = 600): string {
  const line = harmless(text.replace(/\s+/g, " ")).trim();
  return line.length > length ? `${line.slice(0, length - 1)}…` : line;
}
