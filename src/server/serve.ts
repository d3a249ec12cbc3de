import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import * as s from "../core/base/option-schema.ts";
import { check } from "../core/base/options.ts";

/** The maximum time that responses may take to finish after `close()`, in ms. */
const GRACE_MS = 2_000;

/** The options of `serve`. */
export type ServeOptions = {
  /** The address to listen on; default "127.0.0.1", which only this machine can reach. */
  readonly host?: string | undefined;
  /** The port to listen on; default 0, any free port. */
  readonly port?: number | undefined;
};

/** The schema of {@link ServeOptions}. */
export const serveSchema = s.lazily(() =>
  s.options<ServeOptions>({ host: s.optional(s.nonEmpty()), port: s.optional(s.port()) }),
);

/** A server that listens on a port. */
export type RunningServer = {
  /** The address with the port, such as "http://127.0.0.1:8790". */
  readonly url: string;
  /** Stops to accept requests, and resolves when all connections are closed. Event streams and responses that take longer than 2 s are
   *  cut off. */
  close(): Promise<void>;
};

/** Node's request object cannot be copied into a new `Request`, which is needed to limit a body of unknown length. */
function withStandardBody(request: Request): Request {
  const { url, method, headers, body } = request;
  if (!body || (headers.has("content-length") && !headers.has("transfer-encoding"))) return request;
  return new Request(url, { method, headers, body, duplex: "half" });
}

/**
 * Listens on a port with a server of `createServer`, or with any other app that has a `fetch` function. It speaks HTTP: put a proxy
 * with TLS in front of it. Rejects with Node's error if it cannot listen, such as `EADDRINUSE`.
 *
 * @example
 * ```ts
 * import { serve } from "agentchart/server";
 *
 * const server = await serve({ fetch: () => new Response("Hello") }, { port: 0 });
 * console.log(await (await fetch(server.url)).text());
 * await server.close();
 * ```
 */
export async function serve(
  app: { fetch(request: Request, env: object): Response | Promise<Response> },
  options: ServeOptions = {},
): Promise<RunningServer> {
  check(serveSchema(), options, "serve");
  const { host = "127.0.0.1", port = 0 } = options;
  const listener = getRequestListener((request, env) => app.fetch(withStandardBody(request), env), {
    overrideGlobalObjects: false,
  });
  const server = createHttpServer((request, response) => void listener(request, response));
  server.listen(port, host);
  await once(server, "listening");
  const address = server.address() as AddressInfo;
  const name = address.family === "IPv6" ? `[${address.address}]` : address.address;
  return {
    url: `http://${name}:${address.port}`,
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeIdleConnections();
      const timer = setTimeout(() => server.closeAllConnections(), GRACE_MS);
      await closed;
      clearTimeout(timer);
    },
  };
}
