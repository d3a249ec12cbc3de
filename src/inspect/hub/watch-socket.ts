import type { WebSocket } from "ws";
import { NO_HELLO } from "../protocol/protocol.ts";

const GREET_MS = 2_000;
const PING_MS = 15_000;

/** Closes a socket that does not say who it is within 2 s, and one that does not answer a ping before the next. Returns what
 *  is called when it has said so. */
export function watchSocket(socket: WebSocket): () => void {
  const greeting = setTimeout(() => socket.close(4401, NO_HELLO), GREET_MS);
  let isHere = true;
  const pinging = setInterval(() => {
    if (!isHere) return socket.terminate();
    isHere = false;
    socket.ping();
  }, PING_MS);
  socket.on("pong", () => (isHere = true));
  socket.on("message", () => (isHere = true));
  socket.on("error", () => {}); // it closes after that
  socket.on("close", () => {
    clearTimeout(greeting);
    clearInterval(pinging);
  });
  return () => clearTimeout(greeting);
}
