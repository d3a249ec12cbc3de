import { eventStream } from "./event-stream.ts";
import type { ServerOptions } from "./options.ts";
import { RequestError } from "./request-error.ts";

const HEARTBEAT_MS = 15_000;
const MAX_STREAMS = 100;

/** The event streams that are open, by tenant: each tenant may have so many. */
export class StreamSlots {
  readonly #open = new Map<string, number>();
  readonly #options: Pick<ServerOptions, "heartbeatMs" | "maxStreams">;

  constructor(options: Pick<ServerOptions, "heartbeatMs" | "maxStreams">) {
    this.#options = options;
  }

  /** The body of a response that streams `events`. Throws `request/too-many` if the tenant has too many streams open. */
  open(tenant: string, events: (signal: AbortSignal) => AsyncIterable<string>): ReadableStream<Uint8Array> {
    const { heartbeatMs = HEARTBEAT_MS, maxStreams = MAX_STREAMS } = this.#options;
    if (this.#add(tenant, 1) > maxStreams) {
      this.#add(tenant, -1);
      throw new RequestError(429, "request/too-many", "Too many event streams are open.", {
        "Retry-After": "5",
      });
    }
    return eventStream(events, { heartbeatMs, onEnd: () => void this.#add(tenant, -1) });
  }

  #add(tenant: string, change: 1 | -1): number {
    const count = (this.#open.get(tenant) ?? 0) + change;
    this.#open.set(tenant, count);
    return count;
  }
}
