import { mkdirSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { pageFile } from "../../../src/inspect/hub/page-files.ts";
import { testHome, testHub } from "../../support/hub-page.ts";

/** Returns the headers and the bytes of an answer as they come over the wire. */
function get(url: string, encoding?: string) {
  return new Promise<{ readonly headers: NodeJS.Dict<string | string[]>; readonly body: Buffer }>(
    (resolve, reject) => {
      request(url, { headers: encoding ? { "accept-encoding": encoding } : {} }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on("data", (chunk: Buffer) => chunks.push(chunk));
        answer.on("end", () => resolve({ headers: answer.headers, body: Buffer.concat(chunks) }));
      })
        .on("error", reject)
        .end();
    },
  );
}

test("answers are compressed for clients that take it, and are the same otherwise", async () => {
  const hub = await testHub({ home: testHome() });
  const [plain, packed] = await Promise.all([
    get(`${hub.url}/chart.json`),
    get(`${hub.url}/chart.json`, "gzip"),
  ]);
  expect(plain.headers["content-encoding"]).toBeUndefined();
  expect(packed.headers["content-encoding"]).toBe("gzip");
  expect(gunzipSync(packed.body).equals(plain.body)).toBe(true);
  expect(packed.body.length).toBeLessThan(plain.body.length / 4);
  expect(packed.headers["cache-control"]).toBe("no-store");
});

test("a file whose name has a hash may be kept, and the page that names it may not", async () => {
  const folder = join(testHome(), "page");
  mkdirSync(join(folder, "assets"), { recursive: true });
  for (const name of ["index.html", "assets/index-DIJXcEvC.js", "assets/plain.js"])
    writeFileSync(join(folder, name), "x");
  const isVersioned = async (path: string) => (await pageFile(folder, path))?.isVersioned;
  expect(await isVersioned("/assets/index-DIJXcEvC.js")).toBe(true);
  expect(await isVersioned("/assets/plain.js")).toBe(false);
  expect(await isVersioned("/")).toBe(false);
});
