import { UnclearCalls } from "../unclear-calls.ts";
import { ArgumentText, isSameJson } from "../argument-text.ts";
import type { WireEvent, WireItem } from "./responses-wire.ts";

/** A call of an answer. */
export type ResponsesCall = {
  readonly key: number;
  readonly index: number | undefined;
  /** The id of the item and of the call, and the name; empty while unknown. */
  item: string;
  id: string;
  name: string;
  /** The arguments so far. */
  args: string;
  readonly text: ArgumentText;
  /** True once the server has said that the arguments are whole. */
  isOver: boolean;
  /** True once its item has ended. */
  hasEnded: boolean;
  /** True if the server says that the item is incomplete, whatever its arguments look like. */
  isCut: boolean;
};

/** A call, and the arguments that are new. */
export type CallPiece = { readonly call: ResponsesCall; readonly args: string };

/**
 * Decides which call each event belongs to. The id of its item says so, else the id of the call, else the index of the item, unless several
 * calls are open there, else the only call that is open. Where an event fits more than one call or none, where ids and index say different
 * calls, where the whole arguments are not those that were streamed, and where a call has no name, no end or an incomplete item, it throws {@link
 * UnclearCalls}: nothing of the answer may run.
 */
export class ResponsesCalls {
  readonly #all: ResponsesCall[] = [];
  readonly #byItem = new Map<string, ResponsesCall>();
  readonly #byId = new Map<string, ResponsesCall>();
  readonly #byIndex = new Map<number | undefined, ResponsesCall>();
  readonly #open = new Map<number | undefined, Set<ResponsesCall>>();

  get size(): number {
    return this.#all.length;
  }

  /** A call begins. */
  begin(event: WireEvent, item: WireItem): CallPiece {
    const index = indexOf(event);
    if (this.#named(item)) throw new UnclearCalls("a call begins twice, or two calls have one id.");
    const call = this.#create(index, item);
    return { call, args: this.#rest(call, item.arguments ?? "", false) };
  }

  /** A piece of arguments comes. */
  add(event: WireEvent): CallPiece {
    const call = this.#of(event);
    const args = String(event.delta ?? "");
    if (call.isOver && args !== "")
      throw new UnclearCalls(`arguments of "${call.name}" come after their end.`);
    this.#push(call, args);
    return { call, args };
  }

  /** The arguments of a call are said to be whole. */
  complete(event: WireEvent): CallPiece {
    const call = this.#of(event);
    if (call.name === "" && event.name) call.name = event.name;
    return { call, args: this.#rest(call, event.arguments ?? "", true) };
  }

  /** A call ends, with all that is known of it. */
  end(event: WireEvent, item: WireItem): CallPiece {
    const index = indexOf(event);
    const there = this.#byIndex.get(index);
    const isOther =
      !there || there.hasEnded || (there.id !== "" && !!item.call_id && there.id !== item.call_id);
    const isShared = (this.#open.get(index)?.size ?? 0) > 1;
    const named = this.#named(item);
    if (!named && !isOther && isShared) throw new UnclearCalls("the end of a call fits more than one.");
    const call = named ?? (isOther ? this.#create(index, item) : there);
    if (call.hasEnded) throw new UnclearCalls("a call ends twice, or two calls have one id.");
    this.#match(call, index, item);
    call.hasEnded = true;
    return { call, args: this.#rest(call, item.arguments ?? "", true) };
  }

  /** The whole answer is told again, or for the first time: its calls must be those that were streamed. */
  tell(items: readonly WireItem[]): readonly CallPiece[] {
    if (items.length === 0) return [];
    const found = items.map((item) => this.#named(item));
    const known = new Set(found.filter((call) => call !== undefined));
    const left = this.#all.filter((call) => !known.has(call));
    const unknown = items.length - known.size;
    if (left.length > 0 && unknown !== left.length)
      throw new UnclearCalls("the calls at the end are not those that were streamed.");
    const areNew = left.length === 0;
    return items.map((item, place) => {
      const call = found[place] ?? (areNew ? this.#create(undefined, item) : left.shift()!);
      if (!known.delete(call) && found[place]) throw new UnclearCalls("two calls have one id.");
      this.#match(call, undefined, item);
      return { call, args: this.#rest(call, item.arguments ?? "", true) };
    });
  }

  /** Throws {@link UnclearCalls} if a call has no name or no end, now that the answer is over. */
  check(): void {
    for (const { name, isOver, isCut, text } of this.#all) {
      if (name === "") throw new UnclearCalls("a call has no name.");
      if (isCut) throw new UnclearCalls(`the call of "${name}" is incomplete.`);
      if (!isOver && text.state !== "whole") throw new UnclearCalls(`the call of "${name}" has no end.`);
    }
  }

  #named({ id, call_id }: WireItem): ResponsesCall | undefined {
    return (id ? this.#byItem.get(id) : undefined) ?? (call_id ? this.#byId.get(call_id) : undefined);
  }

  #create(index: number | undefined, { id, call_id, name }: WireItem): ResponsesCall {
    const call: ResponsesCall = {
      key: this.#all.length,
      index,
      item: id ?? "",
      id: call_id ?? "",
      name: name ?? "",
      args: "",
      text: new ArgumentText(),
      isOver: false,
      hasEnded: false,
      isCut: false,
    };
    this.#all.push(call);
    this.#note(call);
    this.#byIndex.set(index, call);
    const open = this.#open.get(index) ?? new Set();
    this.#open.set(index, open.add(call));
    return call;
  }

  #note(call: ResponsesCall): void {
    if (call.item !== "") this.#byItem.set(call.item, call);
    if (call.id !== "") this.#byId.set(call.id, call);
  }

  /** Returns the call of a piece of arguments. */
  #of(event: WireEvent): ResponsesCall {
    const index = indexOf(event);
    const item = event.item_id ?? "";
    const known = item === "" ? undefined : this.#byItem.get(item);
    if (known) {
      this.#match(known, index, {});
      return known;
    }
    const there = this.#byIndex.get(index);
    if (!there && index !== undefined) throw new UnclearCalls("arguments come before their call has begun.");
    const open = index === undefined ? this.#all.filter((call) => !call.isOver) : [...this.#open.get(index)!];
    if (open.length > 1 || !(open[0] ?? there))
      throw new UnclearCalls(`a piece of arguments fits ${open.length} calls.`);
    return open[0] ?? there!;
  }

  /** Takes over what is said of a call, and checks that it is this one. */
  #match(call: ResponsesCall, index: number | undefined, item: WireItem): void {
    const { id, call_id, name, status } = item;
    if (status === "incomplete") call.isCut = true;
    const isElsewhere = index !== undefined && call.index !== undefined && index !== call.index;
    if (isElsewhere) throw new UnclearCalls(`the index ${index} is not that of the call with its id.`);
    if (call_id && call.id !== "" && call.id !== call_id)
      throw new UnclearCalls(`a call of "${call.name}" has two ids.`);
    if (name && call.name !== "" && call.name !== name)
      throw new UnclearCalls(`one call has the names "${call.name}" and "${name}".`);
    if (call.item === "") call.item = id ?? "";
    if (call.id === "") call.id = call_id ?? "";
    if (call.name === "") call.name = name ?? "";
    this.#note(call);
  }

  /** Returns those of the whole arguments that were not streamed: all or nothing. */
  #rest(call: ResponsesCall, whole: string, isEnd: boolean): string {
    if (isEnd) {
      call.isOver = true;
      this.#open.get(call.index)?.delete(call);
    }
    if (whole === "" || whole === call.args) return "";
    if (call.args !== "") {
      if (!isSameJson(call.args, whole))
        throw new UnclearCalls(`the arguments of "${call.name}" are not those that were streamed.`);
      return "";
    }
    this.#push(call, whole);
    return whole;
  }

  #push(call: ResponsesCall, args: string): void {
    call.args += args;
    call.text.push(args);
    if (call.text.state === "joined")
      throw new UnclearCalls(`the arguments of "${call.name}" are more than one JSON object.`);
  }
}

/** Returns the index of an item, which compatible servers may leave out or send as a string. */
function indexOf({ output_index: index }: WireEvent): number | undefined {
  if (index === undefined || index === null || index === "") return undefined;
  return Number.isInteger(Number(index)) ? Number(index) : undefined;
}
