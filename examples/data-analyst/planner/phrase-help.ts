import type { JsonFields } from "./conversation.ts";
import type { Language } from "./language.ts";
import { suggestQuestions } from "./suggest.ts";
import type { Problem } from "./reading.ts";
import type { Schema } from "./schema.ts";
import { wordsFor } from "./words.ts";

const COLUMNS_NAMED = 12;
const TABLES_NAMED = 12;

/** What the planner says when it cannot answer: why, what tables there are, and what it could be asked instead. */
export function phraseHelp(
  schema: Schema,
  described: JsonFields,
  problem: Problem,
  language: Language,
): string {
  const words = wordsFor(language);
  const { tables } = schema;
  if (tables.length === 0) return words.noTables;
  const rowsOf = new Map(tables.map((table) => [table.name, String(table.rowCount)]));
  const lines = tables.slice(0, TABLES_NAMED).map(({ name, columns }) => {
    const listed = columns
      .slice(0, COLUMNS_NAMED)
      .map((column) => column.name)
      .join(words.list);
    return words.table(name, rowsOf.get(name) ?? "", columns.length > COLUMNS_NAMED ? `${listed} …` : listed);
  });
  const hidden =
    tables.length -
    TABLES_NAMED +
    (Array.isArray(described["moreTables"]) ? described["moreTables"].length : 0);
  const more = hidden > 0 ? [words.moreTables(String(hidden))] : [];
  const questions = suggestQuestions(schema, language).map((question) => `- ${question}`);
  return [
    words.problem[problem.kind]("text" in problem ? problem.text : ""),
    "",
    words.tables,
    ...lines,
    ...more,
    "",
    words.ask,
    ...questions,
  ].join("\n");
}
