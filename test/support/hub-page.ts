import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startHub, type StartHubOptions, type StartedHub } from "agentchart/inspect";
import { onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { applyPatch } from "../../src/inspect/protocol/patch.ts";
import type { Ack, RunCommand, PendingItem } from "../../src/inspect/protocol/commands.ts";
import type { HubToPage, PageToHub, RunRow, Step, StreamDelta } from "../../src/inspect/protocol/protocol.ts";
import type { JsonObject } from "agentchart";

/** A home directory that is removed when the test ends. */
export function testHome(): string {
  const home = mkdtempSync(join(tmpdir(), "agentchart-hub-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }));
  return home;
}

/** A hub that is closed when the test ends. */
export async function testHub(options: StartHubOptions & { readonly home: string }): Promise<StartedHub> {
  const hub = await startHub(options);
  onTestFinished(() => hub.close());
  return hub;
}

/** A page's view of a hub, over a real socket. */
export class HubPage {
  readonly rows = new Map<string, RunRow>();
  readonly steps = new Map<string, Step[]>();
  readonly keyframes = new Map<string, JsonObject>();
  readonly states = new Map<string, readonly (readonly string[])[]>();
  readonly pending = new Map<string, readonly PendingItem[]>();
  readonly stream: StreamDelta[] = [];
  /** The processes, as last received. */
  workers: Extract<HubToPage, { type: "workers" }> | undefined;
  readonly gaps: { readonly from: number; readonly to: number }[] = [];
  readonly received: HubToPage[] = [];
  closed: number | undefined;
  bytes = 0;
  readonly #socket: WebSocket;
  readonly #acks = new Map<string, (ack: Ack) => void>();
  #commands = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on("message", (data) => {
      const text = String(data as Buffer);
      this.bytes += text.length;
      this.#receive(JSON.parse(text) as HubToPage);
    });
    socket.on("close", (code) => (this.closed = code));
  }

  static async open({ url, token }: StartedHub): Promise<HubPage> {
    const socket = new WebSocket(`${url.replace("http", "ws")}/ws`, { origin: url });
    const page = new HubPage(socket);
    onTestFinished(() => socket.terminate());
    await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
    const welcome = once(socket, "message");
    page.send({ type: "hello", token, proto: 1 });
    await welcome;
    return page;
  }

  send(message: PageToHub): void {
    this.#socket.send(JSON.stringify(message));
  }

  subscribe(runId: string, after = 0): void {
    this.send({ type: "sub", runId, after });
  }

  command(runId: string, rest: object, id = `cmd-${++this.#commands}`): Promise<Ack> {
    const cmd = { id, runId, ...rest } as unknown as RunCommand;
    const { promise, resolve } = Promise.withResolvers<Ack>();
    this.#acks.set(id, resolve);
    this.send({ type: "cmd", cmd });
    return promise;
  }

  /** Stops reading from its socket until {@link HubPage.resume}. */
  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /** The context after the newest step, or after step `to`. */
  contextOf(runId: string, to = Number.POSITIVE_INFINITY): JsonObject {
    const steps = (this.steps.get(runId) ?? []).filter(({ q }) => q <= to);
    return steps.reduce((context, { p = [] }) => applyPatch(context, p), this.keyframes.get(runId) ?? {});
  }

  activeAt(runId: string, { s }: Step): readonly string[] {
    return this.states.get(runId)![s]!;
  }

  #receive(message: HubToPage): void {
    this.received.push(message);
    if (message.type === "runs") for (const row of message.rows) this.rows.set(row.runId, row);
    else if (message.type === "workers") this.workers = message;
    else if (message.type === "pending") this.pending.set(message.runId, message.items);
    else if (message.type === "stream") this.stream.push(...message.items);
    else if (message.type === "gap") this.gaps.push(message);
    else if (message.type === "ack") this.#acks.get(message.id)?.(message);
    else if (message.type === "steps") {
      const { runId, states, items, keyframe } = message;
      if (states.length > 0) this.states.set(runId, states);
      if (keyframe) this.keyframes.set(runId, keyframe);
      this.steps.set(runId, [...(this.steps.get(runId) ?? []), ...items]);
    }
  }
}

/** Sends a GET request to the hub's API. */
export async function ask(
  { url, token }: Pick<StartedHub, "url" | "token">,
  path: string,
  init: RequestInit = {},
): Promise<Response> {
  return fetch(`${url}${path}`, { ...init, headers: { authorization: `Bearer ${token}` } });
}
