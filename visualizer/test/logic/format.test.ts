// Texts as they are shown.
import { expect, test } from "vitest";
import { bytes, compact, duration, jsonText, localTime, money, safeText } from "../../src/logic/format.ts";

test("localTime says the time of today by the reader's clock, and of another day with the day", () => {
  const now = new Date(2026, 10, 30, 23, 59, 59).getTime();
  expect(localTime(new Date(2026, 10, 30, 0, 3, 7, 900).getTime(), now)).toBe("00:03:07");
  expect(localTime(new Date(2026, 10, 29, 14, 3, 22).getTime(), now)).toBe("2026-11-29 14:03:22");
  expect(localTime(new Date(2027, 10, 30, 14, 3, 22).getTime(), now)).toBe("2027-11-30 14:03:22");
  expect(localTime(now, NaN)).toBe("2026-11-30 23:59:59");
  expect(localTime(9e15, now)).toBe("–");
});

test("safeText makes bidirectional and invisible characters visible", () => {
  expect(safeText("a\u202Eb\u2066c")).toBe("a⟨U+202E⟩b⟨U+2066⟩c");
  const hidden = [
    0x07, 0x7f, 0x85, 0xad, 0x61c, 0x200b, 0x200e, 0x200f, 0x202a, 0x2060, 0x2064, 0x2069, 0x206f, 0xfeff,
    0xe0000, 0xe0041, 0xe007f,
  ];
  for (const code of hidden) {
    const name = code.toString(16).toUpperCase().padStart(4, "0");
    expect(safeText(`a${String.fromCodePoint(code)}b`)).toBe(`a⟨U+${name}⟩b`);
  }
  expect(safeText("a\u200Db\u200Cc")).toBe("a⟨U+200D⟩b⟨U+200C⟩c");
  expect(safeText("\u{1F3F4}\u{E0072}\u{E006D}\u{E007F}")).toBe("\u{1F3F4}⟨U+E0072⟩⟨U+E006D⟩⟨U+E007F⟩");
});

test("safeText does not change ordinary text of many scripts", () => {
  for (const text of [
    "one\ttwo\r\nthree",
    "شكرا جزيلا، السلام عليكم",
    "שָׁלוֹם עוֹלָם",
    "می\u200Cخواهم",
    "क्\u200Dष र्\u200Dय ශ්\u200Dරී",
    "❤️ 1️⃣ 👍🏽 🇺🇦",
    "👩\u200D👩\u200D👧\u200D👦 👩🏽\u200D🚀 ❤️\u200D🔥 🏳️\u200D🌈",
    "\u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}",
    "Crème brûlée 日本語 한국어 ≤ ⟨U+202E⟩",
  ])
    expect(safeText(text)).toBe(text);
});

test("safeText makes only the hidden characters of a mixed text visible", () => {
  expect(safeText("👩\u200D🚀\u200Dx שלום\u202E עולם")).toBe("👩\u200D🚀⟨U+200D⟩x שלום⟨U+202E⟩ עולם");
});

test("safeText removes terminal escape sequences", () => {
  expect(safeText("\u001B[31mred\u001B[0m \u001B7")).toBe("red 7");
});

test("jsonText escapes hidden characters and parses to the same value", () => {
  const value = { "k\u202E": ["right\u202Eto left", "\u{E0041}\uFEFF", "👩\u200D🚀 می\u200Cخواهم"], n: 1 };
  const text = jsonText(value);
  expect(safeText(text)).toBe(text);
  expect(text).toContain(String.raw`"right\u202Eto left"`);
  expect(text).toContain("👩\u200D🚀 می\u200Cخواهم");
  expect(JSON.parse(text)).toEqual(value);
});

test("compact shortens counts, and duration has units", () => {
  expect([compact(999), compact(43_185), compact(606_365), compact(2_000_000)]).toEqual([
    "999",
    "43.2k",
    "606k",
    "2M",
  ]);
  expect([duration(0.2), duration(413), duration(2_210), duration(245_000)]).toEqual([
    "0.2 ms",
    "413 ms",
    "2.21 s",
    "4 m 05 s",
  ]);
});

test("a value that is rounded up to the next unit is in that unit", () => {
  expect([999.4, 999.6, 9_996, 59_949, 59_951, 9.96, -1].map(duration)).toEqual([
    "999 ms",
    "1.00 s",
    "10.0 s",
    "59.9 s",
    "1 m 00 s",
    "10 ms",
    "–",
  ]);
  expect([999_499, 999_500].map(bytes)).toEqual(["999 kB", "1 MB"]);
  expect([999.4, 999.5, 999_499, 999_500].map(compact)).toEqual(["999", "1k", "999k", "1M"]);
  expect([0, 0.000_004, 0.000_006].map(money)).toEqual(["$0", "<$0.00001", "$0.00001"]);
});

test("compact and money format an unknown value as a dash", () => {
  expect(compact(undefined)).toBe("–");
  expect(money(undefined)).toBe("–");
});
