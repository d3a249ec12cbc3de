// Processes that die between the questions of a call.
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { McpOptions } from "agentchart/mcp";
import { scratch } from "../../store/scratch.ts";
import type { StoreSpec } from "../../support/open-store.ts";
import { bookingServer } from "./booking-server.ts";
import { restOf } from "./rest-of.ts";

let folder = scratch();
let spec: StoreSpec;
beforeEach(() => {
  folder = scratch();
  spec = { kind: "file", dir: folder.dir };
});
afterEach(() => folder.remove());

test("a server that asks twice is answered by processes that did not hear its questions, and acts once", async () => {
  const { url, bookings, close } = await bookingServer();
  try {
    const args = { spec, server: { name: "hotel", url }, tool: "hotel__book", input: { city: "Rome" } };
    expect(await restOf(args)).toMatchObject({ reason: "TOOL_SUSPENDED", pending: ["call_1/nights"] });
    expect(await restOf({ ...args, answer: { respond: { nights: 3 } } })).toMatchObject({
      pending: ["call_1/ask_1"],
    });
    expect(bookings).toEqual([]);
    expect(await restOf({ ...args, answer: { respond: true } })).toEqual({
      reason: "MODEL_STOP",
      text: "Done.",
      pending: [],
      results: ["Booked 3 nights in Rome."],
    });
    expect(bookings).toEqual(["3 nights in Rome, paid: accept"]);
  } finally {
    await close();
  }
});

test("a legacy server whose process died with its question is asked anew, or the outcome is unknown", async () => {
  const program = join(import.meta.dirname, "odd-server.mjs");
  const server: McpOptions = { name: "odd", command: process.execPath, args: [program] };
  const args = { spec, server, tool: "odd__twice", input: {} };
  expect(await restOf(args)).toMatchObject({ pending: ["call_1/question"] });
  const answer = { respond: { n: 1 } };
  const trusting = { ...server, trust: true }; // the tool says that it is idempotent
  expect(await restOf({ ...args, server: trusting, answer })).toMatchObject({
    reason: "TOOL_SUSPENDED",
    pending: ["call_1/question"],
  });
  const unknown = expect.stringContaining("asked in another process, or too long ago") as string;
  expect(await restOf({ ...args, answer })).toMatchObject({ reason: "MODEL_STOP", results: [unknown] });
});
