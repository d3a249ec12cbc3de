// The warm-up of a server before its first message.
import { expect, test } from "vitest";
import { warmUp, warmUpServer } from "../../../src/cli/dev/warm-up.ts";
import { openServer, TOKENS } from "../../server/open-server.ts";

test("a warm-up drives a turn to its end, and leaves no timer behind", async () => {
  const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
  const before = timers();
  await warmUp();
  expect(timers()).toBeLessThanOrEqual(before);
});

test("a server is asked for what a page needs for its first message, and nothing is stored", async () => {
  const { app, store, records } = openServer();
  await warmUpServer(app, TOKENS.acme);
  expect(new Set(records.map(({ method, route, status }) => `${method} ${route} ${status}`))).toEqual(
    new Set([
      "POST /v1/sessions/:id/messages 404",
      "GET /v1/sessions/:id/events 404",
      "GET /v1/sessions/:id 404",
    ]),
  );
  expect(await store.list()).toEqual({ sessions: [] });
  expect(await store.listDue({ before: Date.now() })).toMatchObject({ sessionIds: [] });
});
