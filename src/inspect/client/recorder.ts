import type {
  AnyMachineSnapshot,
  AnyStateMachine,
  AnyStateNode,
  AnyTransitionDefinition,
  InspectionEvent,
} from "xstate";
import type { Json } from "../../base/json.ts";
import { activeIds, machineIndexOf, type MachineIndex } from "../protocol/machine-index.ts";
import { patchJson, type DiffOptions } from "../protocol/diff.ts";
import {
  encodeToString,
  EncodeCache,
  PREVIEW,
  type EncodeOptions,
  type PlainObject,
} from "../protocol/encode.ts";
import type { History } from "./history.ts";
import { REDACTED } from "../protocol/secrets.ts";

/** An observed microstep: its time, and references to immutable values. */
type Microstep = {
  readonly t: number;
  readonly m: number;
  readonly event: { readonly type: string };
  readonly nodes: AnyMachineSnapshot["_nodes"];
  readonly context: PlainObject;
  readonly transitions: readonly AnyTransitionDefinition[];
  readonly position: number;
  readonly isFromInspector: boolean;
};

/** A trie of configurations by the states in order of entry. */
type StateTrie = { readonly next: Map<AnyStateNode, StateTrie>; state?: number };

/** Larger than the number of configurations of any chart. */
const STATE_RADIX = 1_000_000;

/**
 * The maximum number of microsteps that wait to be written. They hold contexts, whose lifetime should be short.
 */
const MAX_WAITING = 16;

/** Options of {@link Recorder}. */
export type RecorderOptions = {
  /** The machine of the actor that is recorded. */
  readonly machine: AnyStateMachine;
  /** Where the steps are added. */
  readonly history: History;
  /** The agent's redaction, applied to everything that is displayed. */
  readonly redact?: (value: Json) => Json;
  /** Returns the current position in the journal. */
  readonly position: () => number;
  /** True if a command of the inspector caused the event. Called once per event. */
  readonly isFromInspector?: (event: { readonly type: string }) => boolean;
};

/**
 * Records what a state machine does as steps.
 *
 * E1 `record` keeps times and references only; `write` creates diffs and JSON later, for several steps at once.
 * E2 A step describes its instant, however late it is written: contexts are replaced, never mutated.
 * E3 Nothing throws.
 */
export class Recorder {
  readonly #options: RecorderOptions;
  readonly #machine: MachineIndex;
  readonly #diffOptions: DiffOptions;
  readonly #fullOptions: EncodeOptions;
  readonly #previewOptions: EncodeOptions;
  readonly #states: StateTrie = { next: new Map() };
  readonly #transitionCache = new Map<AnyTransitionDefinition, Map<number, string>>();
  #waiting: Microstep[] = [];
  #nodes: unknown;
  #state = -1;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#machine = machineIndexOf(options.machine);
    this.#diffOptions = { serialize: this.#serialize, appendsStrings: options.redact === undefined };
    const cache = new EncodeCache();
    const { redact, history } = options;
    const redacted = redact ? (text: string) => String(this.#applyRedact(text)) : (text: string) => text;
    this.#fullOptions = { cache, keepBlob: (sha, text) => history.blobs.add(sha, redacted(text)) };
    this.#previewOptions = { cache, limits: PREVIEW };
  }

  /** The chart of the machine and its hash. */
  get chart(): MachineIndex {
    return this.#machine;
  }

  /**
   * Records the current state as the first step. A later agent of the same session continues the steps of the
   * former.
   */
  begin(snapshot: AnyMachineSnapshot): void {
    if (this.#options.history.last === 0) this.#add({ type: "xstate.init" }, snapshot, []);
  }

  /** Records an inspection event of the actor. */
  record(event: InspectionEvent): void {
    if (event.type !== "@xstate.microstep") return;
    const { snapshot, _transitions } = event;
    this.#add(event.event, snapshot as AnyMachineSnapshot, _transitions);
  }

  #add(
    event: { readonly type: string },
    { _nodes: nodes, context }: AnyMachineSnapshot,
    transitions: readonly AnyTransitionDefinition[],
  ): void {
    const m = performance.now() - this.#options.history.startedAt;
    const position = this.#options.position();
    const isFromInspector = !isAlways(transitions) && (this.#options.isFromInspector?.(event) ?? false);
    this.#waiting.push({
      t: Date.now(),
      m,
      event,
      nodes,
      context: context as PlainObject,
      transitions,
      position,
      isFromInspector,
    });
    if (this.#waiting.length > MAX_WAITING) this.write();
  }

  /** Writes the recorded microsteps to the history. */
  write(): void {
    const microsteps = this.#waiting;
    this.#waiting = [];
    for (const each of microsteps) {
      try {
        this.#push(each);
      } catch {
        // this step is missing from the history; the agent continues
      }
    }
  }

  #push({ t, m, event, nodes, context, transitions, position, isFromInspector }: Microstep): void {
    const { history } = this.#options;
    const before = this.#state;
    if (nodes !== this.#nodes) {
      this.#nodes = nodes;
      this.#state = this.#stateOf(nodes);
    }
    const ops = patchJson(history.context, context, this.#diffOptions);
    history.context = context;
    const isEventless = isAlways(transitions);
    // built by hand: this runs about ten times per iteration of an agent, and most of it is the same each time
    let text = `{"q":${history.last + 1},"t":${t},"m":${Math.round(m * 1_000) / 1_000},"e":`;
    text += isEventless ? '""' : JSON.stringify(event.type);
    text += this.#transitionJson(transitions, before);
    if (isFromInspector) text += `,"by":"inspector"`;
    if (!isEventless && event.type !== "xstate.init") text += `,"v":${this.#preview(event)}`;
    if (ops !== "[]") text += `,"p":${ops}`;
    if (position > 0) text += `,"j":${position}`;
    history.push(`${text}}`);
  }

  /**
   * Returns the index of a configuration. XState gives active states in order of entry, so one configuration
   * has several orders.
   */
  #stateOf(nodes: AnyMachineSnapshot["_nodes"]): number {
    let at = this.#states;
    for (const node of nodes) {
      let next = at.next.get(node);
      if (!next) at.next.set(node, (next = { next: new Map() }));
      at = next;
    }
    return (at.state ??= this.#options.history.stateOf(activeIds(nodes)));
  }

  /**
   * The JSON of fields `x`, `s` and `k` of a step: edges taken, resulting states, actions. Cached for single
   * transitions.
   */
  #transitionJson(transitions: readonly AnyTransitionDefinition[], before: number): string {
    const [first] = transitions;
    if (!first || transitions.length > 1) return this.#createTransitionJson(transitions, before);
    let texts = this.#transitionCache.get(first);
    if (!texts) this.#transitionCache.set(first, (texts = new Map()));
    const key = before * STATE_RADIX + this.#state;
    let text = texts.get(key);
    if (text === undefined) texts.set(key, (text = this.#createTransitionJson(transitions, before)));
    return text;
  }

  #createTransitionJson(transitions: readonly AnyTransitionDefinition[], before: number): string {
    const { states } = this.#options.history;
    const [previous, current] = [states[before] ?? [], states[this.#state] ?? []];
    const x = this.#machine.edgesOf(transitions);
    const k = x.length > 0 ? this.#machine.actionsOf(transitions, previous, current) : [];
    return JSON.stringify({ x, s: this.#state, ...(k.length > 0 && { k }) })
      .replace("{", ",")
      .slice(0, -1);
  }

  /** Serializes a value for display: without secrets, redacted and bounded. */
  display(value: unknown): Json {
    return JSON.parse(this.#serialize(value)) as Json;
  }

  readonly #serialize = (value: unknown): string =>
    this.#redactJson(encodeToString(value, this.#fullOptions));

  #preview({ type: _, ...payload }: { readonly type: string }): string {
    return this.#redactJson(encodeToString(payload, this.#previewOptions));
  }

  #redactJson(text: string): string {
    return this.#options.redact ? JSON.stringify(this.#applyRedact(JSON.parse(text) as Json)) : text;
  }

  #applyRedact(value: Json): Json {
    try {
      return this.#options.redact?.(value) ?? null;
    } catch {
      return REDACTED;
    }
  }
}

function isAlways(transitions: readonly AnyTransitionDefinition[]): boolean {
  return transitions.length > 0 && transitions.every(({ eventType }) => eventType === "");
}
