import { closeSync, openSync, readdirSync, rmSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fileStore } from "agentchart/store/file";
import { checkEnd } from "../../src/store/file-end.ts";
import { scratch, type Scratch } from "./scratch.ts";

let place: Scratch;
let inbox: string;
beforeEach(async () => {
  place = scratch();
  const store = fileStore({ dir: place.dir });
  await store.putInput("s", { id: "1", data: {} });
  await store.putInput("s", { id: "2", data: {} });
  inbox = join(place.dir, readdirSync(place.dir)[0]!, "inbox.ndjson");
});
afterEach(() => place.remove());

const damaged = expect.objectContaining({ code: "session/damaged" }) as Error;

test("a file that another process appended to after it was measured is not damaged", () => {
  const fd = openSync(inbox, "r");
  checkEnd(fd, inbox, { end: statSync(inbox).size - 1, count: 1 }, "s", "its inbox");
  checkEnd(undefined, inbox, { end: 0 }, "s", "a file"); // it was not there yet
  closeSync(fd);
});

test("a file that lost its end, or is gone, is damaged", () => {
  const size = statSync(inbox).size - 10;
  truncateSync(inbox, size);
  const fd = openSync(inbox, "r");
  expect(() => checkEnd(fd, inbox, { end: size, count: 1 }, "s", "its inbox")).toThrow(damaged);
  closeSync(fd);
  rmSync(inbox);
  expect(() => checkEnd(undefined, inbox, { end: 0 }, "s", "a file")).toThrow(damaged);
});
