// What the page keeps in the browser, and what it does where the browser keeps nothing.
import { afterEach, expect, test, vi } from "vitest";
import { keep, kept } from "../../src/store/kept.ts";

const stored = new Map<string, string>();
const storage = {
  getItem: (key: string) => stored.get(key) ?? null,
  setItem: (key: string, text: string) => void stored.set(key, text),
};
const refuse = (): never => {
  throw new DOMException("It is full.", "QuotaExceededError");
};
afterEach(() => vi.unstubAllGlobals());

test("a text is kept by the browser; where its storage is full, by the page until there is room", () => {
  vi.stubGlobal("localStorage", storage);
  keep("a", "1");
  expect([kept("a"), kept("b")]).toEqual(["1", undefined]);
  vi.stubGlobal("localStorage", { ...storage, setItem: refuse });
  keep("a", "2");
  expect([kept("a"), stored.get("a")]).toEqual(["2", "1"]);
  vi.stubGlobal("localStorage", storage);
  keep("a", "3");
  expect([kept("a"), stored.get("a")]).toEqual(["3", "3"]);
});

test.each(["localStorage", "sessionStorage"] as const)(
  "of %s that is forbidden the page remembers what it was to keep",
  (name) => {
    vi.stubGlobal(name, undefined);
    Object.defineProperty(globalThis, name, { get: refuse, configurable: true });
    expect(kept(name, name)).toBeUndefined();
    keep(name, "Ana", name);
    expect(kept(name, name)).toBe("Ana");
  },
);
