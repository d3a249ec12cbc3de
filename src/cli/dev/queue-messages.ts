import type { ErrorInfo } from "../../core/base/error.ts";
import type { JsonObject } from "../../core/base/json.ts";
import type { QueueStats, WakeOptions, WakeUp } from "../../worker/queue/port.ts";

/** The requests of a thread to the queue of its process, each under an id: the answer has the same. */
export type QueueRequest =
  | { readonly op: "wake"; readonly sessionId: string; readonly options: WakeOptions }
  | { readonly op: "listen"; readonly sessionId: string }
  | { readonly op: "stats" };

/** The messages of a thread to the queue of its process. */
export type ToQueue =
  | (QueueRequest & { readonly id: number })
  | { readonly op: "unlisten"; readonly sessionId: string }
  | { readonly op: "publish"; readonly sessionId: string; readonly signal: JsonObject }
  | { readonly op: "consume"; readonly consumer: number; readonly concurrency: number }
  | { readonly op: "leave"; readonly consumer: number }
  /** The handler of a delivery has ended. */
  | { readonly op: "handled"; readonly id: number };

/** The messages of the queue to a thread. */
export type FromQueue =
  | { readonly op: "answer"; readonly id: number; readonly stats?: QueueStats; readonly error?: ErrorInfo }
  | { readonly op: "deliver"; readonly id: number; readonly consumer: number; readonly wakeUp: WakeUp }
  | { readonly op: "signal"; readonly sessionId: string; readonly signal: JsonObject };
