import { expect, test } from "vitest";
import { restoreRedacted } from "../../../src/inspect/client/restore-redacted.ts";
import { encode } from "../../../src/inspect/protocol/encode.ts";
import type { JsonObject } from "../../../src/base/json.ts";

test("restoreRedacted puts secrets and long strings back into edited arguments", () => {
  const original = { user: "a", password: "p", long: "x".repeat(9_000), list: [{ token: "t" }] };
  const displayed = encode(original, { keepBlob: () => {} }) as JsonObject;
  expect(restoreRedacted({ ...displayed, user: "b" }, original)).toEqual({ ...original, user: "b" });
});
