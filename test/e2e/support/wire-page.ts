import { once } from "node:events";
import { WebSocket } from "ws";
import {
  PROTOCOL,
  type Ack,
  type RunCommand,
  type HubToPage,
} from "../../../src/inspect/protocol/protocol.ts";
import type { Hub } from "./hub.ts";

/** A page played by hand: for what no page of ours would send. */
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

  /** Sends a command and waits for its ack. */
  command(cmd: RunCommand): Promise<Ack> {
    return new Promise((resolve) => {
      const hear = (data: Buffer): void => {
        const message = JSON.parse(String(data)) as HubToPage;
        if (message.type !== "ack" || message.id !== cmd.id) return;
        this.#socket.off("message", hear);
        resolve(message);
      };
      this.#socket.on("message", hear);
      this.#socket.send(JSON.stringify({ type: "cmd", cmd }));
    });
  }

  close(): void {
    this.#socket.close();
  }
}
