import type { AgentEvent } from "agentchart";

/** A call of a method of the store or of the ledger, which the page has. */
export type Asked = {
  readonly type: "ask";
  readonly id: number;
  readonly method: string;
  readonly args: readonly unknown[];
};

/** A message of the worker to the page. */
export type FromWorker =
  | Asked
  | { readonly type: "event"; readonly event: AgentEvent }
  | { readonly type: "opened"; readonly fresh: boolean }
  | { readonly type: "failed"; readonly message: string };

/** A message of the page to the worker. */
export type ToWorker =
  | { readonly type: "open"; readonly sessionId: string }
  | { readonly type: "say"; readonly text: string }
  | { readonly type: "decide"; readonly callId: string; readonly approve: boolean }
  | {
      readonly type: "answer";
      readonly id: number;
      readonly value?: unknown;
      readonly error?: { readonly code: string; readonly message: string };
    };
