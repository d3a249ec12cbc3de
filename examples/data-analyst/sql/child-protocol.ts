import type { Cell } from "./cell.ts";
import type { readSchema } from "./read-schema.ts";

export type QueryRequest = {
  readonly kind: "query";
  readonly database: string;
  readonly sql: string;
  readonly maxRows: number;
  readonly maxBytes: number;
};

/** What the child is asked: run a statement, describe the tables, or check the file. */
export type ChildRequest =
  | QueryRequest
  | { readonly kind: "schema"; readonly database: string; readonly maxTables: number }
  | { readonly kind: "check"; readonly database: string };

/** One line of the child's answer. */
export type ChildLine = {
  readonly columns?: readonly string[];
  readonly rows?: readonly (readonly Cell[])[];
  readonly end?: true;
  readonly schema?: ReturnType<typeof readSchema>;
  /** `ok`, or what SQLite found wrong with the file. */
  readonly problem?: string;
  readonly error?: string;
};
