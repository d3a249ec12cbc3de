// The commands of `schedules`, and webhooks of a server.
import { createHmac } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { workerFixture } from "./worker-fixture.ts";
import type { Finished } from "./agentchart.ts";

const SOON = { interval: 100 };

const jsonLines = ({ stdout }: Finished): readonly { readonly [field: string]: unknown }[] =>
  stdout
    .trimEnd()
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as { readonly [field: string]: unknown });

test("A server serves the webhooks of a file", async () => {
  const fixture = workerFixture(undefined, "memory");
  const file = join(fixture.folder, "webhooks.ts");
  const secret = "a secret of a sender as plain text";
  writeFileSync(
    file,
    'export default { tracker: { secrets: [process.env.TRACKER], agent: "echo", input: "New: {title}" } };',
  );
  const none = await fixture.run("serve", "--webhooks", file).finished;
  expect([none.code, none.stderr]).toEqual([1, expect.stringContaining("secrets[0]")]);
  fixture.env["TRACKER"] = secret;
  const { url, running } = await fixture.serve("--webhooks", file);
  const [id, timestamp, body] = ["msg_1", String(Math.floor(Date.now() / 1_000)), '{"title":"It is broken"}'];
  const signature = createHmac("sha256", secret).update(`${id}.${timestamp}.${body}`).digest("base64");
  const post = (value: string) =>
    fetch(`${url}/webhooks/tracker`, {
      method: "POST",
      headers: { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": `v1,${value}` },
      body,
    });
  expect(await (await post(signature)).json()).toMatchObject({ id: "tracker-msg_1", state: "accepted" });
  expect(await (await post(signature)).json()).toMatchObject({ state: "duplicate" });
  expect((await post("AAAA")).status).toBe(401);
  expect(running.log()).not.toContain(secret);
});

test("Schedules are added, listed, shown, paused, resumed and removed, and a worker runs them", async () => {
  const fixture = workerFixture(undefined, "memory");
  const schedules = async (...args: readonly string[]): Promise<Finished> =>
    fixture.run("schedules", ...args).finished;
  const cron = ["--cron", "0 9 * * MON-FRI", "--time-zone", "Europe/Berlin"];
  const added = await schedules("add", "morning", "--agent", "echo", "--input", "Go.", ...cron);
  expect([added.code, added.stderr]).toEqual([0, ""]);
  expect(jsonLines(added)).toMatchObject([{ name: "morning", state: "active", timeZone: "Europe/Berlin" }]);
  const [show] = jsonLines(await schedules("show", "morning"));
  expect(show).toMatchObject({ cron: "0 9 * * MON-FRI", sessionId: "morning-{tick}", starts: 0 });
  const next = jsonLines(await schedules("next", "morning", "--count", "2"));
  expect(next).toHaveLength(2);
  expect(next[0]).toMatchObject({
    tick: show!["nextTick"],
    time: new Date(Number(show!["nextTick"])).toISOString(),
  });
  expect(jsonLines(await schedules("pause", "morning"))).toMatchObject([{ state: "paused" }]);

  await schedules(
    "add",
    "poll",
    "--agent",
    "echo",
    "--input",
    "Look.",
    "--every",
    "1s",
    "--session",
    "mailbox",
  );
  const worker = await fixture.worker();
  await expect.poll(() => worker.logged("schedule.tick").length, SOON).toBeGreaterThan(1);
  expect(worker.logged("schedule.tick")[0]).toMatchObject({ schedule: "poll", sessionId: "mailbox" });
  expect((await schedules("pause", "poll")).code).toBe(0);
  expect(jsonLines(await schedules("ls"))).toMatchObject([
    { name: "morning", state: "paused" },
    { name: "poll", state: "paused", agent: "echo", everyMs: 1_000 },
  ]);
  expect(jsonLines(await schedules("resume", "morning"))).toMatchObject([{ state: "active" }]);
  expect(jsonLines(await schedules("rm", "poll"))).toEqual([{ name: "poll", removed: true }]);
  expect(jsonLines(await schedules("ls"))).toMatchObject([{ name: "morning" }]);

  const add = ["add", "morning", "--agent", "echo", "--input", "Go."];
  for (const [args, code, problem] of [
    [[...add, ...cron], 1, "There is a schedule 'morning' already"],
    [["add", "n", ...add.slice(2), "--cron", "0 0 31 4,6 *"], 1, "would never start anything"],
    [
      ["add", "n", ...add.slice(2), "--cron", "@daily", "--time-zone", "Mars"],
      1,
      "The time zone 'Mars' is unknown",
    ],
    [[...add], 2, "Use '--cron', '--every' or '--at'"],
    [[...add, "--cron", "@daily", "--every", "1h"], 2, "Use '--cron', '--every' or '--at'"],
    [["show", "none"], 1, "There is no schedule 'none'"],
  ] as const) {
    const refused = await schedules(...args);
    expect([refused.code, refused.stdout], args.join(" ")).toEqual([code, ""]);
    expect(refused.stderr).toContain(problem);
  }
});
