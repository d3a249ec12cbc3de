// The connection of the page to the server: one socket at a time, and none that nobody answers on.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Connection } from "../../src/wire/connection.ts";
import { PROTOCOL } from "../../src/wire/types.ts";

class Socket extends EventTarget {
  static readonly OPEN = 1;
  static all: Socket[] = [];
  readyState = 0;
  readonly sent: unknown[] = [];
  constructor() {
    super();
    Socket.all.push(this);
  }
  send(text: string): void {
    this.sent.push(JSON.parse(text));
  }
  close(): void {
    this.readyState = 3; // of a server that does not answer the event comes late, or never
  }
  open(): void {
    this.readyState = 1;
    this.dispatchEvent(new Event("open"));
    this.say({ type: "welcome", proto: PROTOCOL });
  }
  say(message: object): void {
    this.dispatchEvent(new MessageEvent("message", { data: JSON.stringify(message) }));
  }
}

const events = {
  open: vi.fn<() => void>(),
  message: vi.fn<() => void>(),
  lost: vi.fn<() => void>(),
  refused: vi.fn<() => void>(),
};
const request = vi.fn<() => Promise<Response>>();

function connected(): Connection {
  const connection = new Connection("ws://here/ws", "t", events);
  connection.connect();
  return connection;
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("WebSocket", Socket);
  vi.stubGlobal("fetch", request);
  Socket.all = [];
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.clearAllMocks();
});

test("a server that is silent is asked whether it is there; one that is not is lost, and asked again", async () => {
  connected();
  Socket.all[0]!.open();
  request.mockResolvedValue(new Response());
  await vi.advanceTimersByTimeAsync(60_000);
  expect(request).toHaveBeenCalled();
  expect(events.lost).not.toHaveBeenCalled();
  request.mockRejectedValue(new DOMException("", "TimeoutError"));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(events.lost).toHaveBeenCalledOnce();
  expect(Socket.all.map(({ readyState }) => readyState)).toEqual([3, 0]);
  Socket.all[1]!.open();
  expect(events.open).toHaveBeenCalledTimes(2);
});

test("a server that talks is not asked", async () => {
  connected();
  Socket.all[0]!.open();
  for (let at = 0; at < 20; at++) {
    await vi.advanceTimersByTimeAsync(5_000);
    Socket.all[0]!.say({ type: "workers", rows: [] });
  }
  expect(request).not.toHaveBeenCalled();
});

test("who tries again while a connection is being made has one in the end, and hears nothing of the other", () => {
  const connection = connected();
  connection.connect();
  const [first, second] = Socket.all;
  expect(first!.readyState).toBe(3);
  second!.open();
  first!.say({ type: "workers", rows: [] });
  expect(events.message).not.toHaveBeenCalled();
  expect(second!.sent).toHaveLength(1);
});
