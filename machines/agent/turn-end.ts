import type { ErrorInfo } from "../../src/core/base/error.ts";
import type { Msg, ReachedLimit, Reason } from "../../src/core/message/types.ts";

/** The way in which a turn came to rest. `isRefusal`: its call was refused, and the outcome of the session is that of the turn before. */
export type TurnEnd = {
  readonly reason: Reason;
  /** The turn that brought the input which was answered; absent in sessions of 0.1.0. */
  readonly turn?: number;
  readonly error?: ErrorInfo;
  /** The reply that the caller got, if hooks have made it another one than the answer that is stored. */
  readonly reply?: Msg;
  /** The limit that the turn has reached. */
  readonly limit?: ReachedLimit;
  readonly isRefusal?: boolean;
};
