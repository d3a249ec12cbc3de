import { socketUrl, type OpenSocket } from "./hub-socket.ts";
import { textOf } from "./run-sender.ts";

/** The interval at which a page looks whether what it has sent has left it, ms. */
const LOOK_MS = 10;

/** Opens the socket of a page in a browser. */
export const openBrowserSocket: OpenSocket = (address, { opened, message, closed }) => {
  const socket = new WebSocket(socketUrl(address, "/browser"));
  socket.addEventListener("open", opened);
  socket.addEventListener("message", ({ data }) => message(String(data)));
  socket.addEventListener("close", ({ code }) => closed(code));
  return {
    get bufferedBytes() {
      return socket.bufferedAmount;
    },
    send: (parts) => socket.send(textOf(parts)),
    async drained() {
      while (socket.readyState === WebSocket.OPEN && socket.bufferedAmount > 0)
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    },
    terminate: () => socket.close(),
  };
};
