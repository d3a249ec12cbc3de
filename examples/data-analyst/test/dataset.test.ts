import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { buildDatabase, tableNameOf } from "../dataset/build-database.ts";
import { checkDatabase } from "../dataset/check-database.ts";
import { decodeText } from "../dataset/decode-text.ts";
import { inferColumn, toIsoDate } from "../dataset/infer-column.ts";
import { readCsv } from "../dataset/read-csv.ts";
import { temporaryFolder } from "./fixture.ts";

/** 城市,金额 / 上海,10 / 北京,5 in GB18030. */
const GB18030 = Buffer.from("b3c7cad02cbdf0b6ee0ac9cfbaa32c31300ab1b1beA92c350a", "hex");

function build(bytes: string | Uint8Array, name = "my-data.csv") {
  const folder = temporaryFolder();
  const csv = join(folder, name);
  writeFileSync(csv, bytes);
  const path = join(folder, "built.sqlite");
  const built = buildDatabase(csv, path);
  const database = new DatabaseSync(path, { readOnly: true });
  const rows = database.prepare(`SELECT * FROM "${built.table}"`).all();
  database.close();
  return { ...built, rows: rows.map((row) => ({ ...row })) };
}

describe("a CSV file", () => {
  test("in UTF-8 is read, with and without a byte order mark", () => {
    for (const mark of ["", "\uFEFF"]) {
      expect(build(`${mark}city,amount\nKöln,1.5\n上海,2\n`).rows).toEqual([
        { city: "Köln", amount: 1.5 },
        { city: "上海", amount: 2 },
      ]);
    }
  });

  test("in GB18030 is read, and that is said", () => {
    const { rows, notes } = build(GB18030);
    expect(rows).toEqual([
      { 城市: "上海", 金额: 10 },
      { 城市: "北京", 金额: 5 },
    ]);
    expect(notes).toEqual(["read as gb18030"]);
  });

  test("in UTF-16 and windows-1252 is read", () => {
    expect(build(Buffer.from("\uFEFFcity\tn\nKöln\t1\n", "utf16le")).rows).toEqual([{ city: "Köln", n: 1 }]);
    expect(build(Buffer.from("city,n\nKöln,1\nMünchen,2\n", "latin1")).rows).toEqual([
      { city: "Köln", n: 1 },
      { city: "München", n: 2 },
    ]);
  });

  test("is read in the encoding that was named, and refused if it has no such name", () => {
    const bytes = Buffer.from("8d8782ed", "hex");
    expect(decodeText(bytes, "a.csv", "shift_jis").text).toBe("合わ");
    expect(() => decodeText(bytes, "a.csv", "klingon")).toThrow('Unknown encoding "klingon"');
    expect(() => decodeText(Buffer.from([0x61, 0x80]), "a.csv", "utf-8")).toThrow("a.csv is not utf-8 text");
  });

  test.each([",", ";", "\t", "|"])("separated by %j is read", (delimiter) => {
    const lines = ["a,b,c", 'x,"y z",1'].map((line) => line.replaceAll(",", delimiter));
    expect(build(lines.join("\r\n")).rows).toEqual([{ a: "x", b: "y z", c: 1 }]);
  });

  test("with ragged rows is refused by line", () => {
    expect(() => readCsv('a,b\n1,2\n3\n"x\ny",4\n5,6,7\n8\n9\n', "my.csv")).toThrow(
      "my.csv: the header has 2 fields, but line 3 has 1, line 6 has 3, line 7 has 1, and 1 more lines. Fix or remove these lines.",
    );
  });

  test("with repeated and empty header names gets new ones, and case does not tell names apart", () => {
    expect(readCsv("a,A,,a,a_2\n1,2,3,4,5\n", "my.csv").header).toEqual([
      "a",
      "A_2",
      "column_3",
      "a_3",
      "a_2_2",
    ]);
  });

  test("that is empty, has no rows, a broken quote or bytes of something else is refused in one line", () => {
    expect(() => build("")).toThrow("my-data.csv is empty");
    expect(() => build("a,b\n")).toThrow("no rows");
    expect(() => build('a,b\n"1,2\n')).toThrow(/my-data\.csv is not valid CSV: .*quote/i);
    expect(() => build(Buffer.from([0x50, 0x4b, 3, 4, 0, 0]))).toThrow("is not a text file");
    expect(() => buildDatabase("/nowhere/x.csv", "/nowhere/y")).toThrow("No such file: /nowhere/x.csv");
    expect(() => buildDatabase("/", "/nowhere/y")).toThrow("is a folder");
  });

  test("with an Excel delimiter line is read", () => {
    expect(build("sep=;\na;b\n1;2\n").rows).toEqual([{ a: 1, b: 2 }]);
  });

  test("gives its name to the table", () => {
    expect(["/x/my data-1.csv", "2024.csv", "--.csv", "销售.csv", "sqlite_x.csv"].map(tableNameOf)).toEqual([
      "my_data_1",
      "t_2024",
      "table_1",
      "销售",
      "t_sqlite_x",
    ]);
  });
});

describe("the type of a column", () => {
  const read = (values: string[], delimiter = ",") => {
    const column = inferColumn(values, delimiter);
    return [column.type, ...values.map(column.read)];
  };

  test("is the narrowest that fits all values", () => {
    expect(read(["1", "-2", ""])).toEqual(["INTEGER", 1, -2, null]);
    expect(read(["1", "2.50", "1e3"])).toEqual(["REAL", 1, 2.5, 1000]);
    expect(read(["1", "two"])).toEqual(["TEXT", "1", "two"]);
    expect(read(["", " "])).toEqual(["TEXT", null, null]);
  });

  test("leaves codes alone", () => {
    expect(read(["01234", "99999"])).toEqual(["TEXT", "01234", "99999"]);
    expect(read(["12345678901234567890", "1"])[0]).not.toBe("INTEGER");
  });

  test("takes missing values out of numbers but not out of words", () => {
    expect(read(["1", "n/a", "NULL"])).toEqual(["INTEGER", 1, null, null]);
    expect(read(["yes", "n/a"])).toEqual(["TEXT", "yes", "n/a"]);
  });

  test("knows thousands, currencies, and decimal commas where they can be meant", () => {
    expect(read(["$1,234.50", "€12"])).toEqual(["REAL", 1234.5, 12]);
    expect(read(["1.234,50", "12,5"], ";")).toEqual(["REAL", 1234.5, 12.5]);
    expect(read(["1,5", "12,5"], ",")).toEqual(["TEXT", "1,5", "12,5"]);
  });

  test("keeps dates as ISO text and does not guess day and month", () => {
    expect(read(["2024-03-05", "2024/3/6", "2024年3月7日"])).toEqual([
      "DATE",
      "2024-03-05",
      "2024-03-06",
      "2024-03-07",
    ]);
    expect(read(["2024-03", "2024-04"])).toEqual(["DATE", "2024-03", "2024-04"]);
    expect(read(["05.03.2024", "6.3.2024", "28.02.2024 9:05"])).toEqual([
      "DATE",
      "2024-03-05",
      "2024-03-06",
      "2024-02-28T09:05",
    ]);
    expect(read(["05.03.2024", "30.02.2024"])).toEqual(["TEXT", "05.03.2024", "30.02.2024"]);
    expect(read(["05/03/2024"])).toEqual(["TEXT", "05/03/2024"]);
    expect(["2024-02-30", "2024-13-01", "2024-2-3 9:05"].map(toIsoDate)).toEqual([
      undefined,
      undefined,
      "2024-02-03T09:05",
    ]);
  });
});

describe("a database file", () => {
  const write = (bytes: string | Uint8Array): string => {
    const path = join(temporaryFolder(), "my.sqlite");
    writeFileSync(path, bytes);
    return path;
  };

  test("that is missing, a folder, empty or something else is refused with what to do", async () => {
    await expect(checkDatabase("/nowhere/my.sqlite")).rejects.toThrow(
      "No such file: /nowhere/my.sqlite. Check the path after --db.",
    );
    await expect(checkDatabase("/")).rejects.toThrow("is a folder");
    await expect(checkDatabase(write(""))).rejects.toThrow("it has no tables");
    await expect(checkDatabase(write("a,b\n1,2\n"))).rejects.toThrow(
      "is not a SQLite database (or it is encrypted). For a CSV file use --csv.",
    );
  });

  test("that is damaged is refused", async () => {
    const path = write("");
    const database = new DatabaseSync(path);
    database.exec(
      "CREATE TABLE t (a); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) INSERT INTO t SELECT hex(i) FROM n",
    );
    database.close();
    const { readFileSync } = await import("node:fs");
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.fill(0x41, 4096, 12_288));
    await expect(checkDatabase(path)).rejects.toThrow(/is damaged: .*Restore it from a backup/);
    writeFileSync(path, bytes.subarray(0, 100));
    await expect(checkDatabase(path)).rejects.toThrow("is damaged");
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
