import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { basename } from "node:path";
import { build } from "esbuild";

/** Serves pages of React under their names, such as "/use-chat-page", bundled for a browser, on an origin of their own. */
export async function servePages(
  files: readonly string[],
): Promise<{ readonly origin: string; readonly close: () => void }> {
  const { outputFiles } = await build({
    entryPoints: [...files],
    outdir: "/",
    bundle: true,
    write: false,
    format: "esm",
    platform: "browser",
    conditions: ["agentchart-source"],
    jsx: "automatic",
    define: { "process.env.NODE_ENV": '"development"' },
  });
  const scripts = new Map(outputFiles.map(({ path, text }) => [`/${basename(path)}`, text]));
  const server = createServer(({ url = "/" }, response) => {
    const { pathname } = new URL(url, "http://page");
    const script = scripts.get(pathname);
    if (script !== undefined) response.setHeader("Content-Type", "text/javascript").end(script);
    else if (scripts.has(`${pathname}.js`))
      response
        .setHeader("Content-Type", "text/html")
        .end(
          `<!doctype html><link rel="icon" href="data:,"><div id="root"></div><script type="module" src="${pathname}.js"></script>`,
        );
    else response.writeHead(404).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => void server.close(),
  };
}
