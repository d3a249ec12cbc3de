// Ids of messages.
import { expect, test } from "vitest";
import { newId } from "../../src/core/message/msg.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test("each id is another random UUID of version 4", () => {
  const ids = Array.from({ length: 1_000 }, newId); // more than one filling of the random bytes
  for (const id of ids) expect(id).toMatch(UUID);
  expect(new Set(ids).size).toBe(ids.length);
});

test("every digit of an id that is not fixed takes every value", () => {
  const ids = Array.from({ length: 2_000 }, newId);
  for (let place = 0; place < 36; place++) {
    const found = new Set(ids.map((id) => id[place]));
    const sizes: { readonly [place: number]: number } = { 8: 1, 13: 1, 14: 1, 18: 1, 19: 4, 23: 1 };
    expect(found.size, `place ${place}`).toBe(sizes[place] ?? 16);
  }
});
