import type { Json } from "../core/base/json.ts";
import type { AgentEvent } from "../core/event/types.ts";
import type { Msg, Usage } from "../core/message/types.ts";
import { addUsage } from "../core/message/msg.ts";
import type { AgUiEvent, AgUiState } from "./ag-ui-event.ts";

/** Follows the state of an agent through a run. */
export class RunState {
  #value: AgUiState;

  constructor(messages: readonly Msg[], slots: { readonly [name: string]: Json } = {}) {
    const usage = messages.reduce((total, message) => addUsage(total, message.usage), {} as Usage);
    this.#value = { state: null, usage, plan: slots["plan"] ?? null, todos: slots["todos"] ?? null };
  }

  snapshot(): AgUiEvent {
    return { type: "STATE_SNAPSHOT", snapshot: this.#value };
  }

  /** Returns the changes that an event causes. */
  push(event: AgentEvent): readonly AgUiEvent[] {
    switch (event.type) {
      case "state":
        return this.#set("state", event.value);
      case "message":
        return event.message.usage
          ? this.#set("usage", addUsage(this.#value.usage, event.message.usage))
          : [];
      case "slot":
        return event.name === "plan" || event.name === "todos" ? this.#set(event.name, event.value) : [];
      default:
        return [];
    }
  }

  #set<Field extends keyof AgUiState>(field: Field, value: AgUiState[Field]): readonly AgUiEvent[] {
    this.#value = { ...this.#value, [field]: value };
    return [{ type: "STATE_DELTA", delta: [{ op: "replace", path: `/${field}`, value }] }];
  }
}
