import { createServer } from "node:net";
import { errorMessage } from "../error-message.ts";
import { ok, wrong, type Check, type Finding } from "./check.ts";

/** The port of `serve` and `dev`; `inspect` takes any free one. */
const USUAL = "8790";

/** Finds whether a server of this machine may listen on a port of the loopback address. */
export async function portFinding(port: number, isNeeded: boolean, signal: AbortSignal): Promise<Finding> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const server = createServer();
  server.once("listening", resolve).once("error", reject);
  server.listen({ host: "127.0.0.1", port, signal });
  try {
    await promise;
    return ok("port", `${port} is free`, isNeeded);
  } catch (thrown) {
    return wrong("port", errorMessage(thrown), isNeeded);
  } finally {
    server.close();
  }
}

export const portCheck: Check = {
  name: "port",
  run: async ({ flags: { port: ports } }, signal) =>
    Promise.all(
      (ports.length > 0 ? ports : [USUAL]).map(async (port) =>
        portFinding(Number(port), ports.length > 0, signal),
      ),
    ),
};
