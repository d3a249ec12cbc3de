// The names of folders of sessions.
import fc from "../support/fast-check.ts";
import { expect, test } from "vitest";
import { folderName, sessionIdOf } from "../../src/store/file-name.ts";

const ids = fc.string({ unit: "binary", minLength: 1, maxLength: 60 });

test.each([
  ["support-42_a.b", "support-42_a.b"],
  [".", "%2e"],
  ["..", "%2e%2e"],
  ["a/../b", "a%2f..%2fb"],
  ["Anna", "%41nna"],
  ["con", "%63on"],
  ["nul.txt", "%6eul.txt"],
  ["console", "console"],
  ["a ", "a%20"],
  ["%41", "%2541"],
  ["ü", "%c3%bc"],
])("S43 the folder of %j is %s", (id, folder) => {
  expect(folderName(id)).toBe(folder);
});

test("a long session id becomes a folder name that is cut and ends with a hash", () => {
  const [one, other] = [folderName(`${"x".repeat(500)}1`), folderName(`${"x".repeat(500)}2`)];
  expect(one).toMatch(/^x{60}~[0-9a-f]{32}$/u);
  expect(one).not.toBe(other);
  expect(sessionIdOf(one)).toBeUndefined();
});

test("every folder name is valid on every file system, and contains its session id or a hash", () => {
  fc.assert(
    fc.property(ids, (id) => {
      const folder = folderName(id);
      expect(folder).toMatch(/^[a-z0-9_%-](?:[a-z0-9_%.~-]*[a-z0-9_%-])?$/u);
      expect(folder.length).toBeLessThanOrEqual(120);
      expect([id, undefined]).toContain(sessionIdOf(folder));
    }),
  );
});

test("a folder name that no session id gives is not a session's folder", () => {
  for (const name of ["~floor", "~trash-1", "A", "a b", "%ff", "%41%4", ".DS_Store", "x~abc"]) {
    expect(sessionIdOf(name)).toBeNull();
  }
});
