import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, expect, test } from "vitest";
import { scratch } from "../../store/scratch.ts";
import { bookingServer } from "./booking-server.ts";

const { dir, remove } = scratch();
afterAll(remove);

/** Runs a process until it rests, and kills it there. */
async function restOf(url: string, answer?: unknown): Promise<unknown> {
  const args = JSON.stringify({ spec: { kind: "file", dir }, url, answer });
  const program = join(import.meta.dirname, "asker.ts");
  const child = spawn(process.execPath, ["--conditions=agentchart-source", program, args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exit = once(child, "exit");
  const [line] = (await Promise.race([once(createInterface(child.stdout), "line"), exit])) as [unknown];
  child.kill("SIGKILL");
  await exit;
  return JSON.parse(String(line)) as unknown;
}

test("a server that asks twice is answered by processes that did not hear its questions, and acts once", async () => {
  const { url, bookings, close } = await bookingServer();
  try {
    expect(await restOf(url)).toMatchObject({ reason: "TOOL_SUSPENDED", pending: ["call_1/nights"] });
    expect(await restOf(url, { respond: { nights: 3 } })).toMatchObject({ pending: ["call_1/ask_1"] });
    expect(bookings).toEqual([]);
    expect(await restOf(url, { respond: true })).toEqual({
      reason: "MODEL_STOP",
      text: "Booked.",
      pending: [],
    });
    expect(bookings).toEqual(["3 nights in Rome, paid: accept"]);
  } finally {
    await close();
  }
});
