// The files of the page: compression and caching.
import { mkdirSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { pageFile, pageResponse } from "../../../src/inspect/hub/page-files.ts";
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

test("the page is revalidated, and a file whose name has a hash is kept", async () => {
  const folder = join(testHome(), "page");
  mkdirSync(join(folder, "assets"), { recursive: true });
  const response = (path: string, etag = "") =>
    pageResponse(folder, new Request(`http://hub${path}`, { headers: { "if-none-match": etag } }));
  expect((await response("/"))?.status).toBe(503);
  expect(await response("/elsewhere.js")).toBeUndefined();
  for (const name of ["index.html", "assets/index-DIJXcEvC.js"]) writeFileSync(join(folder, name), "x");
  const page = await response("/");
  const etag = page!.headers.get("etag")!;
  expect([page!.status, page!.headers.get("cache-control")]).toEqual([200, "no-cache"]);
  expect((await response("/", etag))?.status).toBe(304);
  expect((await response("/", `"other", W/${etag}`))?.status).toBe(304); // as a compressed response has it
  writeFileSync(join(folder, "index.html"), "y");
  expect((await response("/", etag))?.status).toBe(200);
  const asset = await response("/assets/index-DIJXcEvC.js");
  expect(asset!.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
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
