// The site: no dead link, the reference of each public name, and a first page whose agent is killed and goes on.
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, posix } from "node:path";
import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { ROOT } from "../project/source-files.ts";
import { accessibilityProblems, COLOR_RULES } from "./support/axe.ts";
import { launch } from "./support/browser.ts";

const SITE = join(ROOT, "site/dist");
const TYPES: { readonly [extension: string]: string } = {
  ".css": "text/css",
  ".html": "text/html",
  ".js": "text/javascript",
  ".svg": "image/svg+xml",
};

/** Serves the built site on an origin of its own, until the test ends. `onSend` gets the compressed bytes of each file. */
async function serveSite(onSend: (bytes: number) => void = () => {}): Promise<string> {
  const server = createServer(({ url = "/" }, response) => {
    const { pathname } = new URL(url, "http://site");
    const file = join(SITE, pathname.endsWith("/") ? `${pathname}index.html` : pathname);
    if (!existsSync(file) || !statSync(file).isFile()) return response.writeHead(404).end();
    response.setHeader("Content-Type", TYPES[extname(file)] ?? "application/octet-stream");
    const compressed = gzipSync(readFileSync(file));
    onSend(compressed.length);
    return response.setHeader("Content-Encoding", "gzip").end(compressed);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** What axe says of the colors of a page in a theme, which is then that of the page again. */
async function problemsInTheme(page: Page, theme: "light" | "dark"): Promise<readonly string[]> {
  const isDark = await page.evaluate<boolean>('document.documentElement.classList.contains("dark")');
  await page.evaluate(`document.documentElement.classList.toggle("dark", ${theme === "dark"})`);
  const problems = await accessibilityProblems(page, undefined, COLOR_RULES);
  await page.evaluate(`document.documentElement.classList.toggle("dark", ${isDark})`);
  return problems;
}

const isSoak = process.env["SOAK"] === "1";
const { exports } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
  readonly exports: object;
};
const NAME = /^export (?:declare )?(?:abstract )?(?:type|function|const|class|interface) (\w+)/gm;
/** The public names of each entry of the package, with its page of the reference. */
const exported = Object.keys(exports)
  .filter((subpath) => subpath !== "./package.json")
  .map((subpath) => {
    const entry = `agentchart${subpath.slice(1)}`;
    const report = readFileSync(join(ROOT, `docs/api/${entry.replaceAll("/", "-")}.api.md`), "utf8");
    return { page: `api/${entry}.html`, names: new Set([...report.matchAll(NAME)].map(([, name]) => name!)) };
  });

/** All pages with SOAK=1, else one of eight, which are others in each build. */
function pagesOf(files: readonly string[]): readonly string[] {
  const first = Math.floor(statSync(SITE).mtimeMs) % 8;
  return files.filter((_, index) => isSoak || index % 8 === first);
}

// A build takes minutes, and brings packages of its own: `SOAK=1 npx vitest run test/e2e/site.test.ts`. Without SOAK a built site is looked at.
describe.runIf(isSoak || existsSync(SITE))("the site", () => {
  beforeAll(() => {
    if (isSoak) execFileSync(process.execPath, [join(ROOT, "site/build.mjs")], { cwd: ROOT });
  }, 900_000);

  test.each(exported)("has each public name of $page, with its docstring", ({ page, names }) => {
    const html = readFileSync(join(SITE, page), "utf8");
    expect(names.size).toBeGreaterThan(0);
    const parts = new Map(
      html.split(/(?=<h2 id=")/).map((part) => [/^<h2 id="[^"]*"[^>]*>(\w+)/.exec(part)?.[1], part] as const),
    );
    expect([...names].filter((name) => !parts.has(name))).toEqual([]);
    const bare = [...names].filter((name) => !/<p>[A-Z\u201c<]/.test(parts.get(name)!));
    expect(bare).toEqual([]);
  });

  test("finds a name of the reference without a network", async () => {
    const origin = await serveSite();
    const browser = await launch();
    onTestFinished(() => browser.close());
    const page = await browser.newPage();
    const outbound: string[] = [];
    page.on("request", (request) => {
      if (!request.url().startsWith(origin)) outbound.push(request.url());
    });
    await page.goto(`${origin}/proofs.html`);
    await page.keyboard.press("Control+k");
    await page.locator("#localsearch-input").fill("rulesOfDogwood");
    await page.locator(".result").first().click();
    await page.waitForURL("**/api/agentchart/rules.html#rulesofdogwood");
    expect(outbound).toEqual([]);
  });

  test.each([
    ["数据库", "a word in the middle of a sentence"],
    ["审批", "a word of two characters"],
    ["fileStore", "a name of the code"],
  ])("finds %s in the Chinese pages, %s, and says so in Chinese", async (word) => {
    const origin = await serveSite();
    const browser = await launch();
    onTestFinished(() => browser.close());
    const page = await browser.newPage();
    await page.goto(`${origin}/zh/start.html`);
    await page.getByRole("button", { name: "搜索" }).first().click();
    await page.locator("#localsearch-input").fill(word);
    const results = page.locator(".result");
    await results.first().waitFor();
    const withWord = globSync("docs/zh/*.md", { cwd: ROOT }).filter((path) =>
      readFileSync(join(ROOT, path), "utf8").includes(word),
    );
    const links = await results.evaluateAll((all) => all.map((each) => new URL(each.href).pathname));
    const found = new Set(links.map((path) => path.replace(/^\/zh\/(.*)\.html$/, "docs/zh/$1.md")));
    expect(withWord.length).toBeGreaterThan(0);
    expect(withWord.filter((path) => !path.endsWith("README.md") && !found.has(path))).toEqual([]);
    await page.locator("#localsearch-input").fill("zzzqqq");
    await page.getByText("没有找到").waitFor();
  });

  test("has no dead link", () => {
    const files = globSync("**/*.html", { cwd: SITE });
    const idsOf = (text: string): ReadonlySet<string> =>
      new Set([...text.matchAll(/\bid="([^"]+)"/g)].map(([, id]) => id!));
    const pages = new Map(files.map((file) => [file, readFileSync(join(SITE, file), "utf8")]));
    const ids = new Map([...pages].map(([file, text]) => [file, idsOf(text)]));
    const dead = [...pages].flatMap(([file, text]) =>
      [...text.matchAll(/<a\b[^>]*\bhref="([^"]+)"/g)]
        .map(([, href]) => href!)
        .filter((href) => !/^[a-z]+:/.test(href))
        .filter((href) => {
          const [path = "", anchor] = href.split("#");
          const place = path.startsWith("/") ? path.slice(1) : posix.join(posix.dirname(file), path);
          const target = path === "" ? file : /(^|\/)$/.test(place) ? `${place}index.html` : place;
          if (!target.endsWith(".html")) return !existsSync(join(SITE, target));
          const known = ids.get(target);
          return !known || (anchor !== undefined && anchor !== "" && !known.has(decodeURIComponent(anchor)));
        })
        .map((href) => `${file}: ${href}`),
    );
    expect(pages.size).toBeGreaterThan(80);
    expect(dead).toEqual([]);
    expect(ids.get("guide/errors.html")).toContain("run-busy"); // each error code has an anchor
  });

  test("has no page that axe objects to or that is wider than its window, at two widths and in both themes", async () => {
    const origin = await serveSite();
    const browser = await launch();
    onTestFinished(() => browser.close());
    const pages = pagesOf(globSync("**/*.html", { cwd: SITE }).toSorted());
    const found = new Map<string, string[]>();
    for (const { width, height, colorScheme } of [
      { width: 1440, height: 900, colorScheme: "light" },
      { width: 390, height: 844, colorScheme: "dark" },
    ] as const) {
      const page = await browser.newPage({
        viewport: { width, height },
        colorScheme,
        reducedMotion: "reduce",
      });
      for (const file of pages) {
        await page.goto(`${origin}/${file}`, { waitUntil: "load" });
        const other = colorScheme === "light" ? "dark" : "light";
        const problems = [
          ...(await accessibilityProblems(page)),
          ...(await problemsInTheme(page, other)).map((each) => `${other}: ${each}`),
        ];
        const wide = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
        if (wide > 0) problems.push(`${wide} px wider than the window`);
        for (const problem of problems)
          found.set(problem, [...(found.get(problem) ?? []), `${width} ${file}`]);
      }
      await page.close();
    }
    expect(Object.fromEntries(found)).toEqual({});
  }, 1_800_000);

  test("loads at most 300 kB for its first page, and works for less than 2 s until the agent can be started", async () => {
    let bytes = 0;
    const origin = await serveSite((more) => (bytes += more));
    const browser = await launch();
    onTestFinished(() => browser.close());
    const page = await browser.newPage({ viewport: { width: 390, height: 844 } });
    const devtools = await page.context().newCDPSession(page);
    await devtools.send("Performance.enable", { timeDomain: "threadTicks" });
    await page.goto(origin, { waitUntil: "networkidle" });
    const start = page.getByRole("button", { name: "Send it", exact: true });
    const box = (await start.boundingBox())!;
    expect(box.y + box.height).toBeLessThan(844); // above the fold
    expect(bytes).toBeGreaterThan(80_000);
    expect(bytes).toBeLessThan(300_000);
    const { metrics } = await devtools.send("Performance.getMetrics");
    const seconds = metrics.find(({ name }) => name === "TaskDuration")!.value; // of its thread's CPU
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThan(2);
  });

  test.each([
    { width: 1440, height: 1000, colorScheme: "light" as const },
    { width: 390, height: 844, colorScheme: "dark" as const },
  ])(
    "has an agent on its first page, $width wide, that pays once though its process is killed while it pays",
    async ({ width, height, colorScheme }) => {
      const origin = await serveSite();
      const browser = await launch();
      onTestFinished(() => browser.close());
      const page = await browser.newPage({ viewport: { width, height }, colorScheme });
      const errors: string[] = [];
      page.on("pageerror", (error) => errors.push(String(error)));
      await page.goto(origin);
      const press = (name: string): Promise<void> => page.getByRole("button", { name, exact: true }).click();
      await press("Send it");
      await press("Approve");
      await page.getByText(/^refund \{/).waitFor();
      await page.getByText("12.50 paid").waitFor();
      await press("Kill its process");
      await press("Start another");
      await page.getByText("2 workers; the ledger was asked 2 times and paid 12.50.").waitFor();
      const wide = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
      expect({ errors, wide }).toEqual({ errors: [], wide: 0 });
    },
  );
});
