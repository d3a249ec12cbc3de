import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";

/** How long answers that are under way may take when the server is closed, ms. */
const GRACE_MS = 2_000;

export type ServeOptions = {
  /** Default 127.0.0.1: nobody but this machine. */
  readonly host?: string;
  /** Default 0: any free one. */
  readonly port?: number;
};

/** A server that listens. */
export type Served = {
  readonly url: string;
  /** Takes no more requests, ends event streams, and gives other answers 2 s. */
  close(): Promise<void>;
};

/** The request of Node's server is none that another can be made of, as is done to measure a body of unknown length. */
function withStandardBody(request: Request): Request {
  const { url, method, headers, body } = request;
  if (!body || (headers.has("content-length") && !headers.has("transfer-encoding"))) return request;
  return new Request(url, { method, headers, body, duplex: "half" });
}

/** Listens on HTTP. Rejects as `listen` does, such as with EADDRINUSE. */
export async function serve(
  app: { fetch(request: Request, env: object): Response | Promise<Response> },
  { host = "127.0.0.1", port = 0 }: ServeOptions = {},
): Promise<Served> {
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
