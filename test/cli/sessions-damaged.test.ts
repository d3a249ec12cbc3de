// Commands on a damaged session.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { jsonLines, lastLine, sessionFixture, STORES } from "./session-fixture.ts";

// Every test starts processes, on machines that are busy with other tests.

test("A session whose file is damaged can be exported, forked before the damage, and deleted", async () => {
  const fixture = await sessionFixture(STORES[0][1]);
  await fixture.run("s", "Hi");
  const journal = join(fixture.folder, "sessions", "s", "journal.ndjson");
  const bytes = readFileSync(journal);
  bytes[bytes.length - 30]! ^= 1;
  writeFileSync(journal, bytes);

  const shown = await fixture.sessions("show", "s");
  expect(shown.code).toBe(1);
  const [, seq] = /Its positions up to (\d+) can be read\. Export it with "/.exec(lastLine(shown))!;
  const file = join(fixture.folder, "s.ndjson");
  const exported = await fixture.sessions("export", "s", "--out", file);
  expect(exported.code).toBe(0);
  expect(lastLine(exported)).toMatch(
    /^The session is quarantined, also after an import: Session 's' is damaged: /,
  );
  const forked = await fixture.sessions("fork", "s", "--at", seq!, "--as", "f");
  expect([forked.code, jsonLines(forked)]).toMatchObject([0, [{ sessionId: "f", forkedFrom: "s" }]]);
  expect((await fixture.run("f", "And?")).stdout).toBe("Answer 2\n");
  expect((await fixture.sessions("rm", "s", "--yes")).code).toBe(0);
  expect((await fixture.sessions("import", file)).code).toBe(0);
  expect(jsonLines(await fixture.sessions("ls", "--prefix", "s"))).toMatchObject([{ phase: "quarantined" }]);
  const refused = await fixture.run("s", "More?");
  expect(refused.code).toBe(1);
  expect(lastLine(refused)).toMatch(
    /Session 's' is quarantined: .*\. End the quarantine with "agentchart dead-letters retry s --store \S+", or export the session with "agentchart sessions export s --out FILE --store \S+"\.$/,
  );
});
