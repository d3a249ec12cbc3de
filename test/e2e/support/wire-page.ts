import { once } from "node:events";
import { WebSocket } from "ws";
import type { Ack, RunCommand } from "../../../src/inspect/protocol/commands.ts";
import { PROTOCOL, type HubToPage } from "../../../src/inspect/protocol/protocol.ts";
import type { Hub } from "./hub.ts";

/** A page connection that a test controls: it sends commands that the real page never sends. */
export class WirePage {
  readonly #socket: WebSocket;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  static async connect({ url, token }: Hub): Promise<WirePage> {
    const socket = new WebSocket(`${url.replace("http", "ws")}/ws`, { headers: { origin: url } });
    await once(socket, "open");
    socket.send(JSON.stringify({ type: "hello", token, proto: PROTOCOL }));
    await once(socket, "message");
    return new WirePage(socket);
  }

  /** Sends a command and returns its acknowledgement. */
  command(cmd: RunCommand): Promise<Ack> {
    return new Promise((resolve) => {
      const receive = (data: Buffer): void => {
        const message = JSON.parse(String(data)) as HubToPage;
        if (message.type !== "ack" || message.id !== cmd.id) return;
        this.#socket.off("message", receive);
        resolve(message);
      };
      this.#socket.on("message", receive);
      this.#socket.send(JSON.stringify({ type: "cmd", cmd }));
    });
  }

  close(): void {
    this.#socket.close();
  }
}
