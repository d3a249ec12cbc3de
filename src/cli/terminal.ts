/** The part of `process.stdout` and `process.stderr` that the program uses. */
export type Output = { readonly isTTY?: boolean; write(text: string): unknown };

export type Environment = { readonly [name: string]: string | undefined };

/** Output for a reader: the model's text goes to stdout, everything else to stderr. */
export type Terminal = {
  /** Appends text of the model. */
  text(text: string): void;
  /** Appends thinking of the model, which only a terminal shows. */
  thinking(text: string): void;
  /** Ends the current line, if it is not empty. */
  endLine(): void;
  /** Prints a line of progress. */
  note(line: string): void;
  /** Prints a line that must be noticed. */
  warn(line: string): void;
  /** Prints a line that is never shortened, such as a command to copy. */
  hint(line: string): void;
  /** Shows a line in a terminal until the next line; "" shows none. Elsewhere nothing is shown. */
  status(line: string): void;
  /** True if `status` shows lines. */
  readonly showsStatus: boolean;
  /** Prints the line of an error. */
  fail(line: string): void;
};

/** A longer line would wrap, and could not be replaced. */
const MAX_STATUS = 78;

const STYLES = { dim: 2, bold: 1, red: 31 } as const;

/** Colors are used on a terminal only, unless `NO_COLOR` is set or `TERM` is "dumb". */
export function openTerminal(stdout: Output, stderr: Output, env: Environment): Terminal {
  const showsStatus = stderr.isTTY === true && env["TERM"] !== "dumb";
  const isPlain = !showsStatus || Boolean(env["NO_COLOR"]);
  const styled = (text: string, style: keyof typeof STYLES): string =>
    isPlain ? text : `\u001b[${STYLES[style]}m${text}\u001b[0m`;
  /** The stream whose last line has no line break yet. */
  let open: Output | undefined;
  let hasStatus = false;

  const status = (text: string): void => {
    if (!showsStatus || (text === "" && !hasStatus)) return;
    if (!hasStatus) endLine();
    stderr.write(`\r\u001b[K${oneLine(text, MAX_STATUS)}`);
    hasStatus = text !== "";
  };
  const endLine = (): void => {
    status("");
    open?.write("\n");
    open = undefined;
  };
  /** Ends the line of the other stream on a shared screen. A file gets the model's text unchanged. */
  const switchTo = (output: Output): void => {
    if (open !== output && open?.isTTY) endLine();
  };
  const append = (output: Output, text: string, shown: string): void => {
    if (text === "") return;
    status("");
    switchTo(output);
    output.write(shown);
    open = text.endsWith("\n") ? undefined : output;
  };
  const line = (text: string, style: keyof typeof STYLES): void => {
    status("");
    if (open === stderr) endLine();
    switchTo(stderr);
    stderr.write(`${styled(text, style)}\n`);
  };

  return {
    text(text) {
      const shown = stdout.isTTY ? withoutControls(text) : text;
      append(stdout, shown, shown);
    },
    thinking(text) {
      if (stderr.isTTY) append(stderr, withoutControls(text), styled(withoutControls(text), "dim"));
    },
    endLine,
    status,
    showsStatus,
    note: (text) => line(oneLine(text), "dim"),
    warn: (text) => line(oneLine(text), "bold"),
    hint: (text) => line(withoutControls(text), "bold"),
    fail: (text) => line(oneLine(text), "red"),
  };
}

/** The text without control characters other than tabs and line ends, which could move the cursor, ring the bell or rename the window. */
export function withoutControls(text: string): string {
  return text.replace(/(?![\n\t])\p{Cc}/gu, "");
}

/** The text on one line, shortened to `length` characters. */
export function oneLine(text: string, length = 600): string {
  const line = withoutControls(text.replace(/\s+/g, " ")).trim();
  return line.length > length ? `${line.slice(0, length - 1)}…` : line;
}
