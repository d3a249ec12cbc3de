/** The query of FTS5 for texts with one of these words. Words are letters and numbers, or text without quotes. */
export const ftsAnyOf = (words: readonly string[]): string => words.map((word) => `"${word}"`).join(" OR ");

/** A word as text of a `tsquery`. */
export const lexemeOf = (word: string): string => `'${word}'`;

/** The `tsquery` for texts with one of these words. */
export const tsqueryAnyOf = (words: readonly string[]): string => words.map(lexemeOf).join(" | ");
