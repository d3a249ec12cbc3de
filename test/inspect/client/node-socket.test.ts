// The connection of a process to a hub does not keep the process alive.
import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { openNodeSocket } from "../../../src/inspect/client/node-socket.ts";

test.each(["http", "https"])("a connection to a hub with %s keeps no process alive", async (protocol) => {
  const server = createServer((socket) => socket.unref()).listen(0, "127.0.0.1");
  server.unref();
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const connected = once(server, "connection") as Promise<[Socket]>;
  const ignore = () => {};
  const address = { url: `${protocol}://127.0.0.1:${port}`, token: "" };
  const socket = await openNodeSocket(address, { opened: ignore, message: ignore, closed: ignore });
  onTestFinished(() => socket.terminate());
  const [accepted] = await connected;
  onTestFinished(() => void accepted.destroy());
  expect(process.getActiveResourcesInfo().filter((name) => /^(?:TCP|TLS)/.test(name))).toEqual([]);
});
