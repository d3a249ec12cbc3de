// Filters and saved views of the list of runs.
import { describe, expect, test } from "vitest";
import {
  isSet,
  QUICK_FILTERS,
  readViews,
  toggled,
  withoutQuick,
  withView,
} from "../../src/logic/quick-filters.ts";
import { chipsOf, NO_FILTER, queryOf, type ListFilter } from "../../src/logic/run-filter.ts";

describe("a quick filter", () => {
  test.each(QUICK_FILTERS)(
    "$name asks the server for what it sets, and is removed by a second click",
    ({ change, query }) => {
      expect(isSet(NO_FILTER, change)).toBe(false);
      const filter: ListFilter = { ...NO_FILTER, agent: "clerk", ...toggled(NO_FILTER, change) };
      expect(isSet(filter, change)).toBe(true);
      expect(queryOf(filter, "", 0)).toEqual({ agent: "clerk", ...query });
      expect({ ...filter, ...toggled(filter, change) }).toEqual({ ...NO_FILTER, agent: "clerk" });
    },
  );
});

test("the chips are those of filters that no quick filter says already", () => {
  const chips = (filter: Partial<ListFilter>) => {
    const whole = { ...NO_FILTER, ...filter };
    return withoutQuick(chipsOf(whole), whole).map(({ key }) => key);
  };
  expect(chips({ outcome: "waiting", agent: "clerk" })).toEqual(["agent"]);
  expect(chips({ outcome: "answered", agent: "clerk" })).toEqual(["outcome", "agent"]);
});

describe("saved views", () => {
  const view = (name: string, search = "") => ({ name, search, filter: NO_FILTER });

  test("have names of their own, and are bounded", () => {
    const one = withView([], view("  mine  ", "a"));
    expect(one).toEqual([view("mine", "a")]);
    expect(withView(one, view("mine", "b"))).toEqual([view("mine", "b")]);
    expect(withView(one, view("   "))).toBe(one);
    let many = one;
    for (let n = 0; n < 30; n++) many = withView(many, view(`view ${n}`));
    expect(many).toHaveLength(20);
    expect(many.at(-1)!.name).toBe("view 29");
  });

  test.each([
    [undefined],
    [null],
    ["x"],
    [[null, 7, "x", {}, { name: 7, filter: {} }, { name: "n", search: 1, filter: {} }]],
  ])("that cannot be read are left out: %j", (value) => expect(readViews(value)).toEqual([]));

  test("of another release are read with what they lack, and without what is wrong", () => {
    const kept = [{ name: "old", filter: { agent: "clerk", hours: "many", gone: 1 } }];
    expect(readViews(kept)).toEqual([{ name: "old", search: "", filter: { ...NO_FILTER, agent: "clerk" } }]);
  });
});
