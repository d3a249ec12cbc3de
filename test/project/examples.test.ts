// Each exported function has an example.
import { expect, test } from "vitest";
import { exportedFunctions } from "./examples.ts";

test("every function that the package exports has an example", async () => {
  const functions = await exportedFunctions();
  expect(functions.length).toBeGreaterThan(30);
  expect(functions.filter(({ example }) => example === undefined)).toEqual([]);
});
