import { ArgumentText } from "../argument-text.ts";

/** The relation of the id of a piece to those of the pieces before it. It has no id, it is the first one, the same one as on all of them,
 *  one of them, or another one. */
export type IdKind = "none" | "late" | "same" | "again" | "other";

/** A call while its pieces come in. */
export class OpenCall {
  readonly text = new ArgumentText();
  readonly places: Place[] = [];
  readonly key: number;
  /** The first id; empty if none came. */
  id: string;
  /** The id of the last piece that had one. */
  lastId: string;
  /** Empty if none came. */
  name: string;
  pieces = 0;
  /** The kind of a piece that repeated the name before there were arguments: it may be the beginning of another call. Pieces of the
   *  same kind within the arguments show that it was not. */
  doubt: IdKind | undefined;
  /** The kinds of pieces that repeated the name within the arguments. */
  readonly repeats = new Set<IdKind>();
  /** True if a piece gave the name again after the arguments, and nothing shows whether it was another call. */
  isRepeated = false;
  /** The relation of the id to that of the finished call of the same name before it: without arguments it may be the last piece of that
   *  one. */
  echo: IdKind | "elsewhere" | undefined;
  /** True if a piece without a name went on with the call. */
  isContinued = false;
  /** True if a piece came that has another index. */
  isMisplaced = false;
  /** True if it began with an index that was new. */
  isApart = false;

  constructor(key: number, id: string, name: string) {
    this.key = key;
    this.id = id;
    this.lastId = id;
    this.name = name;
  }

  kindOf(id: string): IdKind {
    if (id === "") return "none";
    if (this.id === "") return "late";
    if (id === this.id) return this.lastId === this.id ? "same" : "again";
    return id === this.lastId ? "again" : "other";
  }

  /** True while arguments may come. */
  get isOpen(): boolean {
    const { state } = this.text;
    return state === "none" || state === "open";
  }

  /** Adds arguments, and leaves the places where calls are open once they are whole. */
  push(args: string): void {
    this.pieces++;
    if (args === "") return;
    this.text.push(args);
    if (!this.isOpen) for (const place of this.places) place.open.delete(this);
  }
}

/** The calls with one index, or those without an index. */
export class Place {
  readonly open = new Set<OpenCall>();
  readonly byId = new Map<string, OpenCall>();
  readonly byName = new Map<string, OpenCall>();
  newest: OpenCall | undefined;
  size = 0;

  list(call: OpenCall): void {
    this.size++;
    this.newest = call;
    if (call.isOpen) this.open.add(call);
    this.note(call);
  }

  /** Finds the call by its id and its name from now on. */
  note(call: OpenCall): void {
    if (call.id !== "") this.byId.set(call.id, call);
    if (call.name !== "") this.byName.set(call.name, call);
  }

  /** The call that is open here; undefined if there is none or more than one. */
  get onlyOpen(): OpenCall | undefined {
    return this.open.size === 1 ? this.open.values().next().value : undefined;
  }
}
