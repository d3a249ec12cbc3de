// An agent in a browser: an approval, and a turn that goes on.
import { build } from "esbuild";
import { expect, test } from "vitest";
import { ROOT } from "../project/source-files.ts";
import { launch } from "./support/browser.ts";

test("an agent runs in a page without polyfills: it asks for an approval, and another agent goes on with its turn", async () => {
  const { outputFiles } = await build({
    entryPoints: [`${ROOT}/examples/guide/browser.ts`],
    bundle: true,
    write: false,
    format: "esm",
    platform: "browser",
    conditions: ["agentchart-source"],
    alias: { "agentchart/testing": `${ROOT}/src/testing/scripted-model.ts` },
    external: ["agentchart/inspect"],
  });
  const browser = await launch();
  try {
    const page = await browser.newPage();
    const lines: string[] = [];
    page.on("console", (message) => lines.push(message.text()));
    page.on("pageerror", (error) => lines.push(String(error)));
    await page.setContent(
      `<script type="module">${outputFiles[0]!.text.replaceAll("</script", "<\\/script")}</script>`,
    );
    await expect.poll(() => lines).toEqual(["APPROVAL_REQUIRED", "MODEL_STOP Done: order 17 is refunded."]);
  } finally {
    await browser.close();
  }
});
