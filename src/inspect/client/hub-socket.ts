import type { HubAddress } from "../protocol/hub-address.ts";
import type { MessageParts } from "./run-sender.ts";

/** A socket that is connected to a hub, or is being connected. */
export type HubSocket = {
  /** The number of bytes that are buffered and not sent yet. */
  readonly bufferedBytes: number;
  /** Sends a text message. */
  send(parts: MessageParts): void;
  /** Resolves when the hub has read everything that was sent, or the platform has at least sent it. */
  drained(): Promise<void>;
  /** Ends the connection at once; `closed` follows. */
  terminate(): void;
};

/** The functions that a socket calls. */
type SocketEvents = {
  opened(): void;
  message(text: string): void;
  /** The connection has ended or could not be made; called once, at last. `code` is that of WebSocket. */
  closed(code: number): void;
};

/** Opens a socket to a hub, as the platform does it. */
export type OpenSocket = (address: HubAddress, events: SocketEvents) => HubSocket | Promise<HubSocket>;

/** Returns the address of one of the hub's sockets. */
export function socketUrl({ url: base }: HubAddress, path: string): URL {
  const url = new URL(path, base);
  url.protocol = url.protocol === "http:" ? "ws:" : "wss:";
  return url;
}
