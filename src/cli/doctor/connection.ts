import { connect } from "node:net";
import { messageOf } from "../../core/base/error.ts";

const PORTS: { readonly [protocol: string]: number } = {
  "https:": 443,
  "http:": 80,
  "redis:": 6379,
  "rediss:": 6379,
};

/** Returns why the server of a URL takes no connection; undefined if it takes one, which is closed at once. */
export async function connectionProblem(url: string, signal: AbortSignal): Promise<string | undefined> {
  const { hostname, port, protocol } = new URL(url);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const host = hostname.replaceAll(/[[\]]/g, "");
  const socket = connect({ host, port: Number(port) || (PORTS[protocol] ?? 0), signal });
  socket.once("connect", resolve).once("error", reject);
  try {
    await promise;
    return undefined;
  } catch (thrown) {
    return messageOf(thrown) || String((thrown as NodeJS.ErrnoException).code);
  } finally {
    socket.destroy();
  }
}
