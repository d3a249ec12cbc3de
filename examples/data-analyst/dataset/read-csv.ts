import { CsvError, parse } from "csv-parse/sync";
import { InputError } from "../demo/input-error.ts";

export type CsvTable = {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly delimiter: string;
};

type CsvRecord = { readonly record: readonly string[]; readonly info: { readonly lines: number } };

const DELIMITERS = [",", ";", "\t", "|"];

function countOutsideQuotes(line: string, delimiter: string): number {
  let count = 0;
  let quoted = false;
  for (const character of line) {
    if (character === '"') quoted = !quoted;
    else if (character === delimiter && !quoted) count++;
  }
  return count;
}

/** The delimiter that the header uses most; `,` for a single column. */
function detectDelimiter(text: string): string {
  const header = text.split(/\r?\n/, 1)[0] ?? "";
  const counts = DELIMITERS.map((delimiter) => countOutsideQuotes(header, delimiter));
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ",";
}

/** Column names that SQLite accepts: an empty one becomes `column_3`, a repeated one gets `_2`; case does not count. */
function columnNames(header: readonly string[]): string[] {
  const taken = new Set<string>();
  return header.map((cell, index) => {
    const name = cell.replaceAll("\0", "").replaceAll(/\s+/g, " ").trim() || `column_${index + 1}`;
    let unique = name;
    for (let n = 2; taken.has(unique.toLowerCase()); n++) unique = `${name}_${n}`;
    taken.add(unique.toLowerCase());
    return unique;
  });
}

function parseRecords(text: string, delimiter: string, name: string): CsvRecord[] {
  try {
    return parse(text, {
      delimiter,
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
    }) as unknown as CsvRecord[];
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new InputError(`${name} is not valid CSV: ${error.message}.`);
  }
}

/** Reads CSV text with a header. Throws InputError that names the lines which are wrong; never drops or pads a row. */
export function readCsv(text: string, name: string): CsvTable {
  // Excel's own way to name the delimiter.
  const [announcement, announced] = /^sep=(.)\r?\n/i.exec(text) ?? [];
  const body = text.slice(announcement?.length ?? 0);
  const delimiter = announced ?? detectDelimiter(body);
  const [first, ...records] = parseRecords(body, delimiter, name);
  if (!first) throw new InputError(`${name} is empty. It needs a header line and rows.`);
  if (records.length === 0) throw new InputError(`${name} has a header but no rows.`);
  const width = first.record.length;
  const ragged = records.filter(({ record }) => record.length !== width);
  if (ragged.length > 0) {
    const listed = ragged
      .slice(0, 3)
      .map(({ record, info }) => `line ${info.lines + (announcement ? 1 : 0)} has ${record.length}`);
    const more = ragged.length > 3 ? `, and ${ragged.length - 3} more lines` : "";
    throw new InputError(
      `${name}: the header has ${width} fields, but ${listed.join(", ")}${more}. Fix or remove these lines.`,
    );
  }
  return { header: columnNames(first.record), rows: records.map(({ record }) => record), delimiter };
}
