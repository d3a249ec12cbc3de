import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { jsonLines, lastLine, openDesk, STORES } from "./desk.ts";

// Every test starts processes, on machines that are busy with other tests.
vi.setConfig({ testTimeout: 60_000 });

test("A session whose file is damaged is taken out, forked before the damage, and deleted", async () => {
  const desk = await openDesk(STORES[0][1]);
  await desk.run("s", "Hi");
  const journal = join(desk.folder, "sessions", "s", "journal.ndjson");
  const bytes = readFileSync(journal);
  bytes[bytes.length - 30]! ^= 1;
  writeFileSync(journal, bytes);

  const shown = await desk.sessions("show", "s");
  expect(shown.code).toBe(1);
  const [, seq] = /Its positions up to (\d+) can be read\. Take it out with "/.exec(lastLine(shown))!;
  const file = join(desk.folder, "s.ndjson");
  const exported = await desk.sessions("export", "s", "--out", file);
  expect(exported.code).toBe(0);
  expect(lastLine(exported)).toMatch(
    /^It is quarantined, and stays so where it is imported: Session 's' is damaged: /,
  );
  const forked = await desk.sessions("fork", "s", "--at", seq!, "--as", "f");
  expect([forked.code, jsonLines(forked)]).toMatchObject([0, [{ sessionId: "f", forkedFrom: "s" }]]);
  expect((await desk.run("f", "And?")).stdout).toBe("Answer 2\n");
  expect((await desk.sessions("rm", "s", "--yes")).code).toBe(0);
  expect((await desk.sessions("import", file)).code).toBe(0);
  expect(jsonLines(await desk.sessions("ls", "--prefix", "s"))).toMatchObject([{ phase: "quarantined" }]);
  const refused = await desk.run("s", "More?");
  expect(refused.code).toBe(1);
  expect(lastLine(refused)).toMatch(
    /Session 's' is quarantined: .*\. End that with "agentchart dead retry s --store \S+", or take it out with "agentchart sessions export s --out FILE --store \S+"\.$/,
  );
});
