// src/inspect/labels keeps what people say about runs, in a session of its own whose journal has each label.
import { setTimeout as sleep } from "node:timers/promises";
import { AgentError } from "../../core/base/error.ts";
import type { Json } from "../../core/base/json.ts";
import * as s from "../../core/base/option-schema.ts";
import { check, mismatchOf } from "../../core/base/options.ts";
import type { ChatModel } from "../../core/model/port.ts";
import { defineSlot } from "../../core/tool/slot.ts";
import type { Slot } from "../../core/tool/types.ts";
import { readEntries } from "../../session/read-entry.ts";
import { LABELS, LABELS_SESSION } from "../../store/labels-session.ts";
import type { SessionStore } from "../../store/port.ts";
import { storeSchema } from "../../store/store-schema.ts";

/** The judgement of a person about a stored session. */
export type NewLabel = {
  readonly sessionId: string;
  readonly label: (typeof LABELS)[number];
  /** Who says it: the name by which others know the person, at most 200 characters. */
  readonly by: string;
  /** The reason, at most 10,000 characters. */
  readonly note?: string | undefined;
  /** The answer that would have been right, at most 100,000 characters. */
  readonly expected?: string | undefined;
};

/** A label as it is stored. */
export type Label = NewLabel & {
  /** Epoch ms. */
  readonly at: number;
  /** The number of the newest journal entry of the session when it was labelled. */
  readonly seq: number;
};

const textOf = (most: number) =>
  s.matching(new RegExp(`^[^]{1,${most}}$`, "u"), `a text of 1 to ${most} characters`);

const shapeOf = s.lazily(() => ({
  sessionId: s.nonEmpty(),
  label: s.oneOf(...LABELS),
  by: textOf(200),
  note: s.optional(textOf(10_000)),
  expected: s.optional(textOf(100_000)),
}));

/** The schema of a {@link NewLabel}. */
export const labelSchema = s.lazily(() => s.options<NewLabel>(shapeOf()));

const storedSchema = s.lazily(() => s.fields({ ...shapeOf(), at: s.finite(), seq: s.count() }));

const slot = defineSlot<Json>({ name: "label", initial: null });
const silent: ChatModel = { name: "none", async *stream() {} };

/** The times to wait for others who write a label, ms: about ten seconds together, from the newest label on. */
const DELAYS_MS = [10, 20, 50, 100, 200, 400, 800, 1_600, 3_200, 3_200];

/**
 * Stores what a person says about a session, beside the session and whatever becomes of it: labels are only added. It takes no lease of the
 * session, which may run meanwhile. Rejects `config/invalid`, `session/not-found`, and `session/conflict` if another process keeps
 * others from it for ten seconds and adds none.
 *
 * @example
 * ```ts
 * import { addLabel } from "agentchart/evals";
 * import { fileStore } from "agentchart/store/file";
 *
 * const store = fileStore({ dir: "./sessions" });
 * await addLabel(store, { sessionId: "refund-17", label: "wrong", by: "ada", note: "It paid twice." });
 * ```
 */
export async function addLabel(store: SessionStore, given: NewLabel): Promise<Label> {
  check(storeSchema(), store, "addLabel", "`store`");
  check(labelSchema(), given, "addLabel");
  const { sessionId } = given;
  const found = sessionId === LABELS_SESSION ? undefined : await store.load(sessionId);
  if (!found) throw new AgentError("session/not-found", `There is no session '${sessionId}'.`);
  const label: Label = { ...given, at: Date.now(), seq: found.seq };
  let seq = 0;
  for (let attempt = 0; ; attempt++) {
    try {
      await append(store, label);
      return label;
    } catch (error) {
      if (!AgentError.is(error) || error.code !== "session/conflict") throw error;
      const newest = (await store.load(LABELS_SESSION))?.seq ?? 0;
      if (newest > seq) [seq, attempt] = [newest, 0];
      const delay = DELAYS_MS[attempt];
      if (delay === undefined) throw error;
      await sleep(delay * (1 + Math.random()));
    }
  }
}

async function append(store: SessionStore, label: Label): Promise<void> {
  const [{ createAgent }, { causedBy }] = await Promise.all([
    import("../../agent/create-agent.ts"), // who reads labels needs no agent
    import("../../agent/steps.ts"),
  ]);
  const agent = createAgent({
    name: "labels",
    model: silent,
    store,
    sessionId: LABELS_SESSION,
    sessionOptions: { slots: [slot as Slot] },
  });
  try {
    await causedBy("operator", () => agent.slots.set(slot, label as unknown as Json));
  } finally {
    await agent.close();
  }
}

/** Reads the labels of a store, each once. */
export class LabelReader {
  readonly #store: SessionStore;
  readonly #labels: Label[] = [];
  #seq = 0;
  #reading: Promise<void> | undefined;

  constructor(store: SessionStore) {
    this.#store = store;
  }

  /** Returns all labels, in the order in which they were added. */
  async all(): Promise<readonly Label[]> {
    this.#reading ??= this.#read().finally(() => (this.#reading = undefined));
    await this.#reading;
    return this.#labels;
  }

  /** Returns the newest label of each session that has one; withdrawn ones are left out. */
  async newest(): Promise<ReadonlyMap<string, Label>> {
    const newest = new Map<string, Label>();
    for (const each of await this.all()) newest.set(each.sessionId, each);
    for (const [id, { label }] of newest) if (label === "none") newest.delete(id);
    return newest;
  }

  async #read(): Promise<void> {
    for await (const entry of readEntries(this.#store, LABELS_SESSION, { after: this.#seq })) {
      this.#seq = entry.seq;
      if (entry.type !== "slot" || entry.data.name !== slot.name) continue;
      const { value } = entry.data;
      if (mismatchOf(storedSchema(), value) === undefined) this.#labels.push(value as unknown as Label);
    }
  }
}

/**
 * Returns the labels of a store, in the order in which people added them; of one session, with `sessionId`.
 *
 * @example
 * ```ts
 * import { labelsOf } from "agentchart/evals";
 * import { fileStore } from "agentchart/store/file";
 *
 * for (const { by, label, note } of await labelsOf(fileStore({ dir: "./sessions" }), "refund-17")) console.log(by, label, note);
 * ```
 */
export async function labelsOf(store: SessionStore, sessionId?: string): Promise<readonly Label[]> {
  check(storeSchema(), store, "labelsOf", "`store`");
  const labels = await new LabelReader(store).all();
  return sessionId === undefined ? labels : labels.filter((each) => each.sessionId === sessionId);
}
