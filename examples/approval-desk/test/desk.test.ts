import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { refundLedger } from "../tools/refund-ledger.ts";
import { databaseUrl, openDesk, stopPostgres } from "./open-desk.ts";

// Every test starts several processes, on machines that are busy with other tests.
const SOON = { interval: 100 };
afterAll(stopPostgres);

test("A refund is asked for, approved and made, although the worker that asked is killed in between", async (context) => {
  const desk = await openDesk(context);
  const id = await desk.write("Order 1001 arrived broken, I want my money back.");
  await expect.poll(async () => (await desk.find(id)).phase, SOON).toBe("suspended");
  const { pending } = await desk.find(id);
  expect(pending).toMatchObject([{ name: "refund", input: { orderId: "1001", cents: 4_900 } }]);

  const asked = desk.lines.find(
    ({ msg, sessionId }) => msg === "session.start" && sessionId === `desk/${id}`,
  )!;
  const killed = desk.workers.find(({ name }) => name === asked.worker)!;
  killed.kill("SIGKILL");
  expect(await killed.ended).toBeNull();

  await desk.decide(id, "approve");
  await expect.poll(async () => (await desk.find(id)).phase, SOON).toBe("stopped");
  expect(await desk.answerOf(id)).toBe("€49.00 for order 1001 is on its way back to you.");
  const starts = desk.lines.filter(
    ({ msg, sessionId }) => msg === "session.start" && sessionId === `desk/${id}`,
  );
  expect(starts.at(-1)!.worker).not.toBe(killed.name);

  const ledger = refundLedger(await databaseUrl(context));
  const made = (await ledger.all()).filter(({ orderId }) => orderId === "1001");
  expect(made).toMatchObject([{ cents: 4_900, reason: "Order 1001 arrived broken, I want my money back." }]);
  await ledger.close();

  const again = await desk.write("Refund order 1001 please");
  await expect.poll(() => desk.find(again), SOON).toMatchObject({ phase: "stopped", reason: "MODEL_STOP" });
  expect(await desk.answerOf(again)).toContain("of which €49.00 was refunded. So I cannot refund");
});

test("Cases that run while a worker is killed are finished by the other: each refund is made once", async (context) => {
  const desk = await openDesk(context);
  const writing = Array.from({ length: 12 }, (_, index) => desk.write(`Refund €${index + 1} for order 1002`));
  await expect
    .poll(() => desk.lines.filter(({ msg }) => msg === "session.start").length, SOON)
    .toBeGreaterThan(2);
  desk.workers[0]!.kill("SIGKILL");
  const ids = await Promise.all(writing);
  const phases = async () => {
    type Page = { readonly sessions: readonly { readonly id: string; readonly phase: string }[] };
    const { sessions } = await desk.ask<Page>("GET", "/v1/sessions?limit=500");
    return ids.map((id) => sessions.find((session) => session.id === id)?.phase);
  };
  await expect.poll(phases, SOON).toEqual(ids.map(() => "suspended"));

  await Promise.all(
    ids.map((id, index) => desk.decide(id, index === 0 ? { deny: "Too little." } : "approve")),
  );
  await expect.poll(phases, SOON).toEqual(ids.map(() => "stopped"));
  expect(await desk.answerOf(ids[0]!)).toContain("The refund was not made: ");
  const ledger = refundLedger(await databaseUrl(context));
  const cents = (await ledger.all())
    .filter(({ orderId }) => orderId === "1002")
    .map((refund) => refund.cents);
  expect(cents.toSorted((a, b) => a - b)).toEqual(
    [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12].map((euros) => euros * 100),
  );
  await ledger.close();
});

test("The ledger makes a refund once for each key, and never pays back more than an order cost", async (context) => {
  const ledgers = [refundLedger(await databaseUrl(context)), refundLedger(await databaseUrl(context))];
  const refund = (key: string, cents: number) => ({ key, orderId: "9001", cents, reason: "test" });
  const same = await Promise.all(ledgers.map((ledger) => ledger.refund(refund("same", 100), 1_000)));
  expect(same).toEqual([refund("same", 100), refund("same", 100)]);
  const many = Array.from({ length: 10 }, (_, index) =>
    ledgers[index % 2]!.refund(refund(`many-${index}`, 200), 1_000),
  );
  const made = (await Promise.all(many)).filter((each) => each !== undefined);
  expect(made).toHaveLength(4);
  expect(await ledgers[0]!.refundedCents("9001")).toBe(900);
  await Promise.all(ledgers.map((ledger) => ledger.close()));
});

test("The page is ours alone, and nothing is to be had without the token", async (context) => {
  const desk = await openDesk(context);
  const page = await fetch(desk.url);
  expect([page.status, page.headers.get("Content-Type")]).toEqual([200, "text/html; charset=utf-8"]);
  const policy = page.headers.get("Content-Security-Policy")!;
  expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'");
  expect(policy).not.toContain("unsafe");
  const html = await page.text();
  expect(html).not.toMatch(/<script(?![^>]*src=)|style=|\son\w+=|https?:/);
  expect(html).not.toContain(desk.token);
  for (const [file, type] of [
    ["/desk.js", "text/javascript; charset=utf-8"],
    ["/desk.css", "text/css; charset=utf-8"],
    ["/fonts/inter-latin-wght-normal.woff2", "font/woff2"],
  ] as const) {
    const response = await fetch(`${desk.url}${file}`);
    expect([response.status, response.headers.get("Content-Type")]).toEqual([200, type]);
    expect(await response.text()).not.toContain(desk.token);
  }
  const sources = globSync("page/**/*.tsx", { cwd: join(import.meta.dirname, "..") });
  expect(sources.length).toBeGreaterThan(10);
  for (const file of sources)
    expect(readFileSync(join(import.meta.dirname, "..", file), "utf8")).not.toMatch(
      /innerHTML|dangerously|document\.write|\beval\(/iu,
    );
  expect((await fetch(`${desk.url}/../package.json`)).status).toBe(404);
  expect((await fetch(`${desk.url}/v1/sessions`)).status).toBe(401);
});
