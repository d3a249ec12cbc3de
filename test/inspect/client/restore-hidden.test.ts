// Hidden values of edited arguments come back.
import { expect, test } from "vitest";
import { restoreHidden } from "../../../src/inspect/client/restore-hidden.ts";
import { encode } from "../../../src/inspect/protocol/encode.ts";
import type { JsonObject } from "../../../src/core/base/json.ts";

test("restoreHidden puts secrets and long strings back into edited arguments", () => {
  const original = { user: "a", password: "p", long: "x".repeat(9_000), list: [{ token: "t" }] };
  const displayed = encode(original, { keepBlob: () => {} }) as JsonObject;
  expect(restoreHidden({ ...displayed, user: "b" }, original)).toEqual({ ...original, user: "b" });
});
