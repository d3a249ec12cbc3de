import { oneOf, type Random } from "./random-damage.ts";

/** A database whose tables are found without a schema. */
export type Rows = {
  all(sql: string): Promise<readonly { readonly [column: string]: unknown }[]>;
  run(sql: string, values: readonly (string | number | null)[]): Promise<void>;
};

const TEXTS = [
  ["entries", "entry", "seq"],
  ["sessions", "position", "session_id"],
  ["sessions", "meta", "session_id"],
  ["checkpoints", "data", "session_id"],
  ["inputs", "data", "id"],
] as const;

const NUMBERS = [
  ["entries", "checksum", "seq"],
  ["inputs", "due_at", "id"],
  ["inputs", "checksum", "id"],
  ...["seq", "checksum", "position_checksum", "meta_checksum", "checkpoint_checksum"].map(
    (column) => ["sessions", column, "session_id"] as const,
  ),
] as const;

type Key = string | number;

async function valuesOf(rows: Rows, table: string, column: string, key: string) {
  const found = await rows.all(
    `SELECT ${key} AS key, CAST(${column} AS text) AS value FROM ${table} WHERE session_id = 's' ORDER BY ${key}`,
  );
  return found as readonly { readonly key: Key; readonly value: string | null }[];
}

/** Changes one character, so that the text is JSON of an object as before. */
function changed(text: string, random: Random): string {
  for (;;) {
    const place = random(text.length);
    const char = String.fromCodePoint(32 + random(94));
    const found = text.slice(0, place) + char + text.slice(place + 1);
    try {
      JSON.parse(found);
      if (found !== text) return found;
    } catch {
      // another one
    }
  }
}

const where = (key: string) => `WHERE session_id = 's' AND ${key} =`;

const DAMAGES: readonly ((rows: Rows, random: Random) => Promise<string>)[] = [
  async (rows, random) => {
    const [table, column, key] = oneOf(random, TEXTS);
    const row = oneOf(random, await valuesOf(rows, table, column, key));
    const text = changed(row.value!, random);
    await rows.run(`UPDATE ${table} SET ${column} = $1 ${where(key)} $2`, [text, row.key]);
    return `${table}.${column} of ${row.key} is ${text}`;
  },
  async (rows, random) => {
    const [table, column, key] = oneOf(random, NUMBERS);
    const row = oneOf(random, await valuesOf(rows, table, column, key));
    const value = oneOf(random, [0, 1_000, Number(row.value) + 1_000, 2 ** random(48)]);
    await rows.run(`UPDATE ${table} SET ${column} = $1 ${where(key)} $2`, [value, row.key]);
    return `${table}.${column} of ${row.key} is ${value}`;
  },
  async (rows, random) => {
    const { key } = oneOf(random, await valuesOf(rows, "entries", "entry", "seq"));
    const seq = 1_000 * random(2) - 1;
    await rows.run(`UPDATE entries SET seq = $1 ${where("seq")} $2`, [seq, key]);
    return `entries.seq of ${key} is ${seq}`;
  },
  async (rows, random) => {
    const columns = ["position", "checksum", "position_checksum", "meta_checksum", "checkpoint_checksum"];
    const column = oneOf(random, columns);
    await rows.run(`UPDATE sessions SET ${column} = $1 ${where("session_id")} $2`, [null, "s"]);
    return `sessions.${column} is null`;
  },
  async (rows, random) => {
    const { key } = oneOf(random, await valuesOf(rows, "entries", "entry", "seq"));
    const operator = oneOf(random, ["=", ">="]);
    await rows.run(`DELETE FROM entries WHERE session_id = 's' AND seq ${operator} $1`, [key]);
    return `entries ${operator} ${key} are deleted`;
  },
  async (rows, random) => {
    const found = await valuesOf(rows, "entries", "entry", "seq");
    const [one, other] = [oneOf(random, found), oneOf(random, found)];
    const hasChecksum = random(2) === 0;
    for (const [from, to] of [
      [one, other],
      [other, one],
    ] as const) {
      const text = hasChecksum ? from.value : from.value!.replace(/"seq":\d+/u, `"seq":${to.key}`);
      await rows.run(`UPDATE entries SET entry = $1 ${where("seq")} $2`, [text, to.key]);
    }
    return `entries ${one.key} and ${other.key} are swapped`;
  },
  async (rows, random) => {
    const [{ key }, other] = [oneOf(random, await valuesOf(rows, "entries", "entry", "seq")), "t"];
    const columns = oneOf(random, [["entry"], ["entry", "checksum"]]);
    for (const column of columns)
      await rows.run(
        `UPDATE entries SET ${column} =
           (SELECT ${column} FROM entries WHERE session_id = $1 AND seq = $2) WHERE session_id = 's' AND seq = $3`,
        [other, key, key],
      );
    return `${columns.join()} of entry ${key} is that of another session`;
  },
  async (rows, random) => {
    const table = oneOf(random, ["sessions", "checkpoints"]);
    await rows.run(`DELETE FROM ${table} WHERE session_id = $1`, ["s"]);
    return `the row in ${table} is deleted`;
  },
  async (rows, random) => {
    const table = oneOf(random, ["sessions", "checkpoints", "entries"]);
    await rows.run(`UPDATE ${table} SET session_id = 'q' WHERE session_id = $1`, ["s"]);
    return `the rows in ${table} have another id`;
  },
  async (rows, random) => {
    const [table, column] = oneOf(random, [
      ["checkpoints", "data"],
      ["sessions", "position"],
      ["sessions", "meta"],
    ] as const);
    await rows.run(
      `UPDATE ${table} SET ${column} = (SELECT ${column} FROM ${table} WHERE session_id = $1) WHERE session_id = 's'`,
      ["t"],
    );
    return `${table}.${column} is that of another session`;
  },
  async (rows) => {
    await rows.run(`UPDATE inputs SET id = $1 WHERE session_id = 's' AND id = $2`, ["9", "1"]);
    return "input 1 has another id";
  },
];

/** Changes the rows of session `s`, and returns what was done. */
export async function damageRows(rows: Rows, random: Random): Promise<string> {
  return oneOf(random, DAMAGES)(rows, random);
}
