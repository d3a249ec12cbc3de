import { isSame, isObject } from "../core/base/json.ts";
import type { ModelCall } from "../../machines/agent/model-call.ts";
import type { PromptEdit } from "../../machines/agent/prompt/edits.ts";
import { sha256 } from "../core/base/hash.ts";

/** Values with longer JSON are stored once in a session, and named by their hash where they stand. */
const MAX_INLINE = 80;

/** A short text, a number or a boolean; another short value in place; or the hash under which a value is stored. */
type Ref = string | number | boolean | { readonly is: unknown } | { readonly ref: string };
/** A range of the messages before, or a message. */
type Item = readonly [from: number, to: number] | Ref;
type StoredEdit = Readonly<Record<string, unknown>> & {
  /** The first `same` items are those of the same hook in the call before. */
  readonly pieces?: { readonly same: number; readonly more: readonly Item[] };
};

/** A model call as it is stored: what differs from the call before it, without what the journal says elsewhere (`view`). */
export type StoredModelCall = {
  /** The number of entries of the append that were recorded before the call was made; absent: none. */
  readonly after?: number;
  /** The number of steps of the append that were taken before; absent: none. */
  readonly steps?: number;
  readonly set: { readonly [part: string]: Ref };
  readonly unset?: readonly string[];
  readonly edits?: readonly StoredEdit[];
  /** Values that no earlier call has, by their hashes. */
  readonly values?: { readonly [hash: string]: unknown };
};

type Parts = { readonly [part: string]: unknown };

/** True if the part is stored as a whole. Edits are stored item by item, and the view not at all: an entry of its own has it. */
const isPart = (part: string): boolean => part !== "edits" && part !== "view";

/** The items of each edit of a call, as JSON. */
type Items = readonly (readonly string[])[];

const NONE: ReadonlySet<string> = new Set();

/** The statement of a checkpoint about the model calls before it: their number, and the hashes of the stored values that were used last. */
export type StoredCalls = { readonly number: number; readonly known: readonly string[] };

/** More hashes than one call has values; a value whose hash is not among them is stored again. */
const MAX_KNOWN = 24;

/** Writes the model calls of a session: N calls take O(N) bytes, also if hooks put the same messages into each. */
export class ModelCallWriter {
  #last: Parts = {};
  #items: Items = [];
  /** The one that was used last stands last. */
  #known: Set<string> | undefined;
  /** The number of the last call. */
  #number: number;

  /** `known`: the hashes of the values that are stored already. `number`: how many calls are. */
  constructor(known?: ReadonlySet<string>, number = 0) {
    if (known && known.size > 0) this.#known = new Set(known);
    this.#number = number;
  }

  /** The statement of a checkpoint after the calls so far about them. */
  get calls(): StoredCalls {
    return { number: this.#number, known: [...this.known].slice(-MAX_KNOWN) };
  }

  /** The number of calls that are stored. */
  get number(): number {
    return this.#number;
  }

  /** The hashes of the values that are stored. */
  get known(): ReadonlySet<string> {
    return this.#known ?? NONE;
  }

  /** Returns what is stored of a call, `after` entries and a number of steps of the next append. */
  stored(
    call: ModelCall,
    { after, steps }: { readonly after: number; readonly steps: number },
  ): StoredModelCall {
    const values: { [hash: string]: unknown } = {};
    const parts = call as unknown as Parts;
    const before = (this.#last["number"] as number | undefined) ?? -1;
    const set: { [part: string]: Ref } = {};
    for (const [part, value] of Object.entries(parts)) {
      const was = this.#last[part];
      if (!isPart(part) || isSame(value, was)) continue;
      const isShort = typeof value === "number" || typeof value === "boolean";
      set[part] = isShort ? value : this.#ref(value, JSON.stringify(value), values);
    }
    const unset = Object.keys(this.#last).filter((part) => isPart(part) && !Object.hasOwn(parts, part));
    this.#last = parts;
    const edits = this.#edits(call.edits, values);
    this.#number = call.number;
    // calls are counted by whoever reads them
    if (call.number === before + 1) delete set["number"];
    return {
      ...(after > 0 && { after }),
      ...(steps > 0 && { steps }),
      set,
      ...(unset.length > 0 && { unset }),
      ...(edits.length > 0 && { edits }),
      ...(Object.keys(values).length > 0 && { values }),
    };
  }

  #ref(value: unknown, text: string, values: { [hash: string]: unknown }): Ref {
    if (text.length <= MAX_INLINE)
      return typeof value === "object" ? { is: value } : (value as string | number | boolean);
    const hash = sha256(text).slice(0, 24);
    const known = (this.#known ??= new Set());
    if (!known.delete(hash)) values[hash] = value;
    known.add(hash);
    return { ref: hash };
  }

  #edits(edits: readonly PromptEdit[], values: { [hash: string]: unknown }): readonly StoredEdit[] {
    const before = this.#items;
    const items: string[][] = [];
    const stored = edits.map(({ hook, pieces, ...fields }, index): StoredEdit => {
      const changes = Object.entries(fields).map(
        ([name, value]) => [name, this.#ref(value, JSON.stringify(value), values)] as const,
      );
      const all = (pieces ?? []).flatMap((piece): Item[] =>
        "inserted" in piece
          ? piece.inserted.map((message) => this.#ref(message, JSON.stringify(message), values))
          : [[piece.from, piece.to]],
      );
      const texts = all.map((item) => JSON.stringify(item));
      items.push(texts);
      const same = commonLength(before[index] ?? [], texts);
      return {
        hook,
        ...Object.fromEntries(changes),
        ...(pieces && { pieces: { same, more: all.slice(same) } }),
      };
    });
    this.#items = items;
    return stored;
  }
}

function commonLength(some: readonly string[], others: readonly string[]): number {
  const most = Math.min(some.length, others.length);
  let same = 0;
  while (same < most && some[same] === others[same]) same++;
  return same;
}

/** Reads the model calls of a session, in the order in which they were written. */
export class ModelCallReader {
  readonly #values = new Map<string, unknown>();
  #parts: Parts = {};
  #items: readonly (readonly Item[])[] = [];
  readonly #before: readonly string[];
  /** The number of the last call; 0 before the first. */
  number: number;

  /** `before`: the calls before the first one that is read. */
  constructor(before: StoredCalls = { number: 0, known: [] }) {
    this.number = before.number;
    this.#before = before.known;
  }

  /** The hashes of the values that are known to be stored. */
  get known(): ReadonlySet<string> {
    return new Set([...this.#before, ...this.#values.keys()]);
  }

  /** Returns a call; its view is that of the session at that point. A value that is missing, such as one of a journal that was cut,
   *  is left out. */
  read(stored: StoredModelCall, view: ModelCall["view"]): ModelCall {
    for (const [hash, value] of Object.entries(stored.values ?? {})) this.#values.set(hash, value);
    const parts: { [part: string]: unknown } = { ...this.#parts };
    for (const part of stored.unset ?? []) delete parts[part];
    for (const [part, ref] of Object.entries(stored.set)) parts[part] = this.#value(ref);
    const { number = this.number + 1 } = stored.set;
    this.number = Number(number);
    parts["number"] = this.number;
    this.#parts = parts;
    const edits = this.#edits(stored.edits ?? []);
    return { ...parts, view, edits } as unknown as ModelCall;
  }

  #value(ref: unknown): unknown {
    if (!isObject(ref)) return ref;
    return "is" in ref ? ref["is"] : this.#values.get(String(ref["ref"]));
  }

  #edits(edits: readonly StoredEdit[]): readonly PromptEdit[] {
    const before = this.#items;
    const all = edits.map(({ pieces }, index): readonly Item[] =>
      pieces ? [...(before[index] ?? []).slice(0, pieces.same), ...pieces.more] : [],
    );
    this.#items = all;
    return edits.map(({ hook, pieces, ...fields }, index) => {
      const changes = Object.entries(fields).map(([name, ref]) => [name, this.#value(ref)] as const);
      return {
        hook,
        ...Object.fromEntries(changes),
        ...(pieces && { pieces: this.#pieces(all[index]!) }),
      } as PromptEdit;
    });
  }

  #pieces(items: readonly Item[]): NonNullable<PromptEdit["pieces"]> {
    const pieces: ({ from: number; to: number } | { inserted: unknown[] })[] = [];
    for (const item of items) {
      if (Array.isArray(item)) {
        const [from, to] = item as readonly [number, number];
        pieces.push({ from, to });
        continue;
      }
      const message = this.#value(item);
      const last = pieces.at(-1);
      if (message === undefined) continue;
      if (last && "inserted" in last) last.inserted.push(message);
      else pieces.push({ inserted: [message] });
    }
    return pieces as NonNullable<PromptEdit["pieces"]>;
  }
}
