// An object that stands in for another one, with some other members.
import { expect, test } from "vitest";
import { withMembers } from "../../src/core/base/with-members.ts";

class Counter {
  #count = 0;
  step = 1;
  get name(): string {
    return "counter";
  }
  add(): number {
    return (this.#count += this.step);
  }
  read(): number {
    return this.#count;
  }
}

test("the other members are there, and the rest is that of the real object", () => {
  const real = new Counter();
  const other = withMembers(real, { read: () => 7 });
  const { add } = other;
  other.step = 5;
  expect([other.name, add(), other.add(), other.read(), real.read()]).toEqual(["counter", 5, 10, 7, 10]);
  expect(other).toBeInstanceOf(Counter);
  expect("add" in other).toBe(true);
});

test("a frozen object can be stood in for", () => {
  const real = Object.freeze({ name: "real", read: (): number => 1, add: () => 2 });
  const other = withMembers(real, { read: () => 7 });
  expect([other.name, other.read(), other.add()]).toEqual(["real", 7, 2]);
});
