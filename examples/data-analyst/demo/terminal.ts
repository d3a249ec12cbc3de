export type Style = "dim" | "bold" | "red" | "green" | "yellow" | "cyan";

/** What is needed of `process.stdout`. */
export type Output = { write(text: string): unknown; readonly isTTY?: boolean };

const CODES: Record<Style, number> = { dim: 2, bold: 1, red: 31, green: 32, yellow: 33, cyan: 36 };

/** Characters that a terminal acts on. Text of a model or of data must not hold any. */
const CONTROL = /(?![\n\t])\p{Cc}|[\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** The text without what would move the cursor, ring, rename the window or turn the writing round. */
function harmless(text: string): string {
  return text.replaceAll(CONTROL, "");
}

/** Writes lines and streamed text to a terminal or a pipe. Colours only on a terminal, and not with NO_COLOR. */
export class Terminal {
  readonly #output: Output;
  readonly #colours: boolean;
  #column = 0;

  constructor(output: Output, env: Readonly<Record<string, string | undefined>>) {
    this.#output = output;
    this.#colours = output.isTTY === true && (env["NO_COLOR"] ?? "") === "" && env["TERM"] !== "dumb";
  }

  /** A line of its own. */
  line(text = "", style?: Style): void {
    this.endLine();
    this.#output.write(`${this.#styled(harmless(text), style)}\n`);
  }

  /** Ends a line of text that is open. */
  endLine(): void {
    if (this.#column > 0) this.#output.write("\n");
    this.#column = 0;
  }

  /** Text that comes in pieces; the next line starts below it. */
  text(piece: string): void {
    const clean = harmless(piece);
    this.#output.write(clean);
    const end = clean.lastIndexOf("\n");
    this.#column = end === -1 ? this.#column + clean.length : clean.length - end - 1;
  }

  #styled(text: string, style: Style | undefined): string {
    return style && this.#colours && text !== "" ? `\u001b[${CODES[style]}m${text}\u001b[0m` : text;
  }
}
