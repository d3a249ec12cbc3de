import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** Which bytes are swallowed: those to the server, or those from it. */
export type Silence = "requests" | "answers";

/** What is wrong with a network: it is slow, it swallows the bytes of one direction, the server's end of each connection is gone
 *  and the client's is not told, or there is no server: each connection is cut, also a new one. */
export type Fault = "slow" | Silence | "half-open" | "down";

/** How late bytes are on a slow network, in each direction, ms. */
const SLOW_MS = 60;

/** A TCP proxy of a server on this machine, with a network in between that can be made to fail, as firewalls do. */
export type FaultyProxy = {
  /** The URL of a server with the proxy's host and port instead of its own. */
  urlOf(url: string): string;
  /** From now on all connections, also new ones, have this fault. */
  fail(fault: Fault): void;
  /** Cuts all connections; new ones get these bytes as their only answer. */
  answerWith(bytes: Buffer): void;
  /** All is well from now on. Connections that have lost bytes are cut. */
  restore(): void;
  close(): void;
};

/** Returns a proxy of the server of this URL, whose port is `defaultPort` unless the URL has one. */
export async function faultyProxy(target: string, defaultPort: number): Promise<FaultyProxy> {
  const port = Number(new URL(target).port || defaultPort);
  const [clients, upstreams] = [new Set<Socket>(), new Set<Socket>()];
  let fault: Fault | undefined;
  let onlyAnswer: Buffer | undefined;

  /** Passes the bytes of one direction on, in order, unless a fault swallows them. */
  function pass(from: Socket, to: Socket, direction: Silence): void {
    let passed = Promise.resolve();
    from.on("data", (bytes) => {
      passed = passed.then(async () => {
        if (fault === "slow") await sleep(SLOW_MS);
        if (fault !== direction && fault !== "half-open" && !to.destroyed) to.write(bytes);
      });
    });
    from.on("error", () => {});
    from.on("close", () => {
      if (fault === undefined || fault === "slow" || fault === "down") to.destroy();
    });
  }

  const server = createServer((client) => {
    clients.add(client.on("close", () => clients.delete(client)));
    if (fault === "down") return void client.on("error", () => {}).destroy();
    if (onlyAnswer) {
      const answer = onlyAnswer;
      return void client.on("error", () => {}).once("data", () => client.end(answer));
    }
    const upstream = connect(port, "127.0.0.1");
    upstreams.add(upstream.on("close", () => upstreams.delete(upstream)));
    pass(client, upstream, "requests");
    pass(upstream, client, "answers");
    if (fault === "half-open") upstream.destroy();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port: own } = server.address() as AddressInfo;
  const cut = (sockets: Set<Socket>): void => sockets.forEach((socket) => socket.destroy());
  return {
    urlOf: (given) => {
      const url = new URL(given);
      url.hostname = "127.0.0.1";
      url.port = String(own);
      return url.href;
    },
    fail: (next) => {
      fault = next;
      if (next === "half-open") cut(upstreams);
      if (next === "down") cut(clients);
    },
    answerWith: (bytes) => {
      onlyAnswer = bytes;
      cut(clients);
    },
    restore: () => {
      const isWhole = fault === "slow";
      fault = undefined;
      onlyAnswer = undefined;
      if (isWhole) return;
      cut(clients);
      cut(upstreams);
    },
    close: () => {
      cut(clients);
      cut(upstreams);
      server.close();
    },
  };
}
