import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/** Which bytes a silent proxy swallows: those to the server, or those from it. */
export type Silence = "requests" | "answers";

/** A TCP proxy whose connections stay open while it swallows bytes, as a firewall does that has forgotten them. */
export type SilentProxy = {
  readonly port: number;
  /** From now on swallows the bytes of one direction, of all connections. */
  silence(direction: Silence): void;
  /** Cuts all connections, and forwards the bytes of new ones. */
  restore(): void;
  close(): void;
};

export async function silentProxy(targetPort: number): Promise<SilentProxy> {
  const sockets = new Set<Socket>();
  let swallowed: Silence | undefined;
  const server = createServer((client) => {
    const upstream = connect(targetPort, "127.0.0.1");
    for (const [from, to, direction] of [
      [client, upstream, "requests"],
      [upstream, client, "answers"],
    ] as const) {
      sockets.add(from);
      from.on("data", (bytes) => swallowed !== direction && to.write(bytes));
      from.on("error", () => {});
      from.on("close", () => {
        sockets.delete(from);
        if (swallowed === undefined) to.destroy();
      });
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const cut = (): void => sockets.forEach((socket) => socket.destroy());
  return {
    port: (server.address() as AddressInfo).port,
    silence: (direction) => (swallowed = direction),
    restore: () => {
      swallowed = undefined;
      cut();
    },
    close: () => {
      cut();
      server.close();
    },
  };
}
