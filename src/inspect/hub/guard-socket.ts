import type { WebSocket } from "ws";
import { NO_HELLO } from "../protocol/protocol.ts";

const HELLO_TIMEOUT_MS = 2_000;
const PING_INTERVAL_MS = 15_000;

/**
 * Closes a socket that sends no `hello` within 2 s, and an unresponsive one that does not answer a ping before
 * the next. Returns the function to call after the `hello`.
 */
export function guardSocket(socket: WebSocket): () => void {
  const helloTimer = setTimeout(() => socket.close(4401, NO_HELLO), HELLO_TIMEOUT_MS);
  let isResponsive = true;
  const pingTimer = setInterval(() => {
    if (!isResponsive) return socket.terminate();
    isResponsive = false;
    socket.ping();
  }, PING_INTERVAL_MS);
  socket.on("pong", () => (isResponsive = true));
  socket.on("message", () => (isResponsive = true));
  socket.on("error", () => {}); // a close event follows
  socket.on("close", () => {
    clearTimeout(helloTimer);
    clearInterval(pingTimer);
  });
  return () => clearTimeout(helloTimer);
}
