// The end of a journal file while others append.
import { constants, readdirSync, rmSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fileStore } from "agentchart/store/file";
import { FileAccess } from "../../src/store/file-access.ts";
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

const access = new FileAccess();

test("a file that another process appended to after it was measured is not damaged", async () => {
  const measured = { end: statSync(inbox).size - 1, count: 1 };
  await access.withFile(inbox, constants.O_RDONLY, (file) => checkEnd(file, measured, "s", "its inbox"));
  await checkEnd({ access, path: inbox }, { end: 0 }, "s", "a file"); // it was not there yet
});

test("a file that lost its end, or is gone, is damaged", async () => {
  const size = statSync(inbox).size - 10;
  truncateSync(inbox, size);
  const check = access.withFile(inbox, constants.O_RDONLY, (file) =>
    checkEnd(file, { end: size, count: 1 }, "s", "its inbox"),
  );
  await expect(check).rejects.toThrow(damaged);
  rmSync(inbox);
  await expect(checkEnd({ access, path: inbox }, { end: 0 }, "s", "a file")).rejects.toThrow(damaged);
});
