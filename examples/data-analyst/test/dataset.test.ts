// Specifies the files that are read: CSV with the kinds of its columns, and databases that are sound.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { buildDatabase, tableNameOf } from "../dataset/build-database.ts";
import { checkDatabase } from "../dataset/check-database.ts";
import { temporaryFolder } from "./fixture.ts";

function build(bytes: string | Uint8Array): Record<string, unknown>[] {
  const folder = temporaryFolder();
  const csv = join(folder, "my-data.csv");
  writeFileSync(csv, bytes);
  const path = join(folder, "built.sqlite");
  const { table } = buildDatabase(csv, path);
  const database = new DatabaseSync(path, { readOnly: true });
  const rows = database.prepare(`SELECT * FROM "${table}"`).all();
  database.close();
  return rows.map((row) => ({ ...row }));
}

describe("a CSV file", () => {
  test.each(["", "\uFEFF"])("in UTF-8 with the mark %j is read", (mark) => {
    expect(build(`${mark}city,amount\nKöln,1.5\n上海,2\n`)).toEqual([
      { city: "Köln", amount: 1.5 },
      { city: "上海", amount: 2 },
    ]);
  });

  test.each([",", ";", "\t", "|"])("separated by %j is read", (delimiter) => {
    const lines = ["a,b,c", 'x,"y z",1'].map((line) => line.replaceAll(",", delimiter));
    expect(build(lines.join("\r\n"))).toEqual([{ a: "x", b: "y z", c: 1 }]);
  });

  test("with repeated and empty header names gets new ones, and case does not tell names apart", () => {
    expect(Object.keys(build("a,A,,a,a_2\n1,2,3,4,5\n")[0]!)).toEqual([
      "a",
      "A_2",
      "column_3",
      "a_3",
      "a_2_2",
    ]);
  });

  test.each([
    ["", /has no rows/],
    ["a,b\n", /has no rows/],
    ['a,b\n"1,2\n', /my-data\.csv is not valid CSV: .*quote/i],
    ["a,b\n1,2\n3\n", /my-data\.csv is not valid CSV: .*line 3/],
    [Buffer.from("city\nKöln\n", "latin1"), /is not UTF-8 text/],
  ])("of %j is refused in one line", (bytes, problem) => {
    expect(() => build(bytes)).toThrow(problem);
  });

  test("that is missing or a folder is refused with what to do", () => {
    expect(() => buildDatabase("/nowhere/x.csv", "/nowhere/y")).toThrow("No such file: /nowhere/x.csv");
    expect(() => buildDatabase("/", "/nowhere/y")).toThrow("is a folder");
  });

  test.each([
    ["1,-2,", [1, -2, null]],
    ["1,2.50,1e3", [1, 2.5, 1000]],
    ["1,two,", ["1", "two", null]],
    ["01234,99999,1", ["01234", "99999", "1"]],
    ["$1,€2,3", ["$1", "€2", "3"]],
  ])("with the column %j gives %j", (column, values) => {
    const rows = build(`a;b\n${column.replaceAll(/,|$/g, ";x\n")}`);
    expect(rows.map(({ a }) => a)).toEqual(values);
  });

  test("gives its name to the table", () => {
    const names = ["/x/my data-1.csv", "2024.csv", "--.csv", "sqlite_x.csv"].map(tableNameOf);
    expect(names).toEqual(["my_data_1", "t_2024", "table_1", "t_sqlite_x"]);
  });
});

describe("a database file", () => {
  const write = (bytes: string | Uint8Array): string => {
    const path = join(temporaryFolder(), "my.sqlite");
    writeFileSync(path, bytes);
    return path;
  };

  test("that is missing, a folder or something else is refused with what to do", async () => {
    await expect(checkDatabase("/nowhere/my.sqlite")).rejects.toThrow("No such file: /nowhere/my.sqlite.");
    await expect(checkDatabase("/")).rejects.toThrow("is a folder");
    await expect(checkDatabase(write("a,b\n1,2\n"))).rejects.toThrow("is not a SQLite database");
  });

  test("that is sound is accepted, and one without tables is not", async () => {
    const path = join(temporaryFolder(), "my.sqlite");
    const database = new DatabaseSync(path);
    database.exec("PRAGMA user_version = 1");
    await expect(checkDatabase(path)).rejects.toThrow("no tables");
    database.exec("CREATE TABLE t (a)");
    database.close();
    await expect(checkDatabase(path)).resolves.toBeUndefined();
  });
});
