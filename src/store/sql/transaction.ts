/** A row of a result, by the names of its columns. */
export type Row = { readonly [column: string]: unknown };
/** A statement, with `$1`, `$2` … for its parameters, and their values. */
export type Statement = readonly [sql: string, values: readonly unknown[]];
/** The statements of a transaction: yields each one and receives its rows. */
export type Transaction<T> = Generator<Statement, T, readonly Row[]>;
