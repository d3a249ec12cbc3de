import { connect, isIP } from "node:net";
import type { ClientOptions } from "ws";
import { socketUrl, type OpenSocket } from "./hub-socket.ts";

const CONNECT_TIMEOUT_MS = 5_000;
/** A hub that sends nothing for this time is considered lost; it pings every 15 s. */
const SILENCE_TIMEOUT_MS = 40_000;

/** Opens a socket that does not keep the process alive. */
export const openNodeSocket: OpenSocket = async (address, { opened, message, closed }) => {
  // Node's own WebSocket keeps the process alive and shows no pings
  const [{ WebSocket }, tls] = await Promise.all([import("ws"), import("node:tls")]);
  const url = socketUrl(address, "/worker");
  const options: ClientOptions = {
    handshakeTimeout: CONNECT_TIMEOUT_MS,
    perMessageDeflate: false,
    followRedirects: false,
    generateMask: () => {}, // masking protects proxies from browsers; ws skips a mask of zeros
    createConnection: (({
      host = "127.0.0.1",
      port,
    }: {
      readonly host?: string;
      readonly port?: unknown;
    }) => {
      const place = { host, port: Number(port) };
      if (url.protocol === "ws:") return connect(place).unref();
      return tls.connect({ ...place, servername: isIP(host) ? "" : host }).unref();
    }) as NonNullable<ClientOptions["createConnection"]>,
  };
  const socket = new WebSocket(url, options);
  const pongs: (() => void)[] = [];
  let silence: NodeJS.Timeout | undefined;
  const heard = (): void => {
    clearTimeout(silence);
    silence = setTimeout(() => socket.terminate(), SILENCE_TIMEOUT_MS).unref();
  };
  socket.on("open", () => {
    heard();
    opened();
  });
  socket.on("ping", heard);
  socket.on("pong", () => pongs.shift()?.());
  socket.on("message", (data) => {
    heard();
    message(String(data as Buffer));
  });
  socket.on("error", () => {}); // a close event follows
  socket.on("close", (code) => {
    clearTimeout(silence);
    for (const resolve of pongs.splice(0)) resolve();
    closed(code);
  });
  return {
    get bufferedBytes() {
      return socket.bufferedAmount;
    },
    send(parts) {
      // in one frame: each one is a call of the operating system
      const bytes = parts.map((part) => (typeof part === "string" ? Buffer.from(part) : part));
      socket.send(Buffer.concat(bytes), { binary: false });
    },
    drained: () =>
      new Promise((resolve) => {
        pongs.push(resolve);
        socket.ping();
      }),
    terminate: () => socket.terminate(),
  };
};
