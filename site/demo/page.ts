import type { AgentEvent } from "agentchart";
import { ChartView } from "./chart.ts";
import { Desk } from "./desk.ts";
import { button, element } from "./element.ts";

const QUESTION = "Order 17 came back. Please refund it.";
const euros = (cents: number): string => (cents / 100).toFixed(2);

/** An agent with its chart, its conversation, and what a visitor may do with it. */
class Demo {
  readonly #chart = new ChartView();
  readonly #map = new Map<string, HTMLElement>();
  readonly #log = element("ol", { class: "log", "aria-live": "polite", "aria-label": "What happens" });
  readonly #actions = element("div", { class: "actions" });
  readonly #desk = new Desk((message) => {
    if (message.type === "event") this.#follow(message.event);
    else if (message.type === "opened") this.#opened(message.fresh);
    else if (message.type === "paid") this.#count();
    else if (message.type === "failed") this.#say("error", message.message);
  });
  #answer: HTMLElement | undefined;
  readonly stop = (): void => this.#desk.kill();

  constructor(root: HTMLElement) {
    const place = (id: string, name: string, what: string): HTMLElement => {
      const made = element("li", { "data-place": id }, element("b", {}, name), element("span", {}, what));
      this.#map.set(id, made);
      return made;
    };
    root.append(
      element(
        "ul",
        { class: "map", "aria-label": "The agent" },
        place("model", "model", "a script"),
        place("find_order", "find_order", "reads"),
        place("refund", "refund", "pays, asks first"),
        place("person", "you", "decide"),
        place("store", "ledger", "0.00 paid"),
      ),
      this.#chart.root,
      element("div", { class: "talk" }, this.#log, this.#actions),
    );
    this.#chart.show("stopped");
    this.#begin();
  }

  #begin(): void {
    this.#say("user", QUESTION);
    this.#offer(button("Send it", () => this.#desk.start(), "brand"));
  }

  /** Lets the visitor do this, beside killing the worker. */
  #offer(...buttons: readonly HTMLButtonElement[]): void {
    this.#actions.replaceChildren(...buttons);
  }

  readonly #kill = button(
    "Kill its process",
    () => {
      this.#desk.kill();
      this.#answer = undefined;
      this.#chart.show(null);
      this.#light();
      this.#say("killed", `Worker ${this.#desk.workers} is dead. Nothing of it was warned.`);
      this.#offer(button("Start another", () => this.#restart(), "brand"));
    },
    "danger",
  );

  #restart(): void {
    this.#offer();
    this.#desk.start();
    this.#say(
      "note",
      `Worker ${this.#desk.workers} waits until the lease of the dead one is over: two seconds.`,
    );
  }

  #opened(fresh: boolean): void {
    this.#say("note", `Worker ${this.#desk.workers} has opened the session.`);
    this.#offer(this.#kill);
    if (fresh) this.#desk.send({ type: "say", text: QUESTION });
  }

  #follow(event: AgentEvent): void {
    if (event.type === "state") this.#chart.show(event.value);
    if (event.type === "model.start") this.#light("model");
    if (event.type === "tool.start" && event.attempt > 0) {
      this.#light(event.call.name);
      this.#say("call", `${event.call.name} ${JSON.stringify(event.call.input)}`);
    }
    if (event.type === "tool.end" && event.result.state !== "suspended")
      this.#say("call", `${event.result.name}: ${event.result.state}`);
    if (event.type === "block.delta" && event.kind === "text")
      (this.#answer ??= this.#say("agent", "")).append(event.delta);
    if (event.type === "pending") this.#ask(event.calls[0]!);
    if (event.type === "turn.end" && event.reason === "MODEL_STOP") this.#end();
  }

  #ask({
    callId,
    name,
    input,
  }: {
    readonly callId: string;
    readonly name: string;
    readonly input: object;
  }): void {
    this.#light("person");
    const decide = (approve: boolean): void => {
      this.#say("user", approve ? "Approved." : "Denied.");
      this.#offer(this.#kill);
      this.#desk.send({ type: "decide", callId, approve });
    };
    const shown = Object.entries(input).map(([key, value]) => `${key} ${String(value)}`);
    this.#say("asked", `May ${name} run? ${shown.join(", ")}`);
    this.#offer(
      button("Approve", () => decide(true), "brand"),
      button("Deny", () => decide(false)),
      this.#kill,
    );
  }

  #end(): void {
    this.#light();
    const { asked, paid, workers } = this.#desk;
    const times = (count: number): string => (count === 1 ? "once" : `${count} times`);
    this.#say(
      "proof",
      `${workers} worker${workers === 1 ? "" : "s"}; the ledger was asked ${times(asked)} and paid ${euros(paid)}.`,
    );
    this.#offer();
    this.#desk.kill();
  }

  #count(): void {
    this.#map.get("store")!.lastElementChild!.textContent = `${euros(this.#desk.paid)} paid`;
  }

  /** Lights the parts of the agent that are at work. */
  #light(...ids: readonly string[]): void {
    for (const [id, place] of this.#map) place.classList.toggle("at-work", ids.includes(id));
  }

  #say(kind: string, text: string): HTMLElement {
    const line = element("li", { class: kind }, text);
    this.#log.append(line);
    this.#log.scrollTop = this.#log.scrollHeight;
    return line;
  }
}

/** Shows the agent in an element. Returns what ends it. */
export function mount(root: HTMLElement): () => void {
  const demo = new Demo(root);
  return () => {
    demo.stop();
    root.replaceChildren();
  };
}
