import { UnclearCalls } from "../unclear-calls.ts";
import { OpenCall, Place, type IdKind } from "./open-call.ts";
import type { WireToolDelta } from "./wire.ts";

/** The part of a call that is known while its pieces come in. */
export type KnownCall = Pick<OpenCall, "key" | "id">;

type Piece = {
  readonly index: number | undefined;
  readonly id: string;
  readonly name: string;
  readonly args: string;
};

/** The beginning of an object, or of a string that holds one. */
const BEGINS_JSON = /^\s*["[{]/;

/**
 * Decides which call each piece of a streamed answer belongs to. The index is the call; its id and its name are in its first piece.
 * Servers that misuse the index are read too, as far as it is certain what they mean:
 *
 * K1 A piece without a name begins a call only if no call is open, and none has its index or id: its name must come later. Else it
 *    belongs to the call of its id, to the only open call of its index, or to the only open call. A piece without name, id and
 *    arguments is nothing.
 * K2 A piece with a name begins a call if no earlier one with its index has this name. Without an index, all calls share one.
 * K3 With the same index and name it goes on with the call while the arguments are unfinished, whatever its id is. Once they are
 *    whole, another id or, without ids, other arguments begin a call.
 * K4 Where a piece fits more than one call or none, where arguments of two calls are joined, where a call has no name, where a name may
 *    be the rest of another, and where it is not certain whether a piece without arguments was a call, it throws {@link UnclearCalls}: nothing of the answer may run.
 *
 * Each piece costs the same, whatever came before.
 */
export class StreamedCalls {
  readonly #all: OpenCall[] = [];
  readonly #anywhere = new Place();
  readonly #places = new Map<number | undefined, Place>();
  /** Ids that came without a name, by their index. */
  readonly #waitingIds = new Map<number | undefined, string>();
  /** True once a piece within the arguments of a call had another id than the call. */
  #doIdsChange = false;
  /** True once a piece within the arguments of a call had the id of the call. */
  #doIdsStay = false;
  /** True once a piece with arguments had no name. */
  #areNamesFirst = false;

  /** Returns the call that a piece belongs to; undefined for a piece that says nothing. */
  add(fragment: WireToolDelta): KnownCall | undefined {
    const piece = pieceOf(fragment);
    const call = piece.name === "" ? this.#nameless(piece, fragment) : this.#named(piece);
    if (call) this.#extend(call, piece);
    return call;
  }

  /** Returns the call of an answer that is not streamed, where each one is whole. */
  addWhole(fragment: WireToolDelta): KnownCall {
    const piece = pieceOf(fragment);
    const call = this.#begin({ ...piece, index: undefined });
    this.#extend(call, piece);
    return call;
  }

  /** Throws {@link UnclearCalls} if it is not certain what the calls of the answer are, now that it is over. */
  check(): void {
    if (this.#waitingIds.size > 0) throw new UnclearCalls("an id came without the name of a tool.");
    const later = new LaterCalls();
    for (const call of this.#all.toReversed()) {
      const problem = this.#problemOf(call, later);
      if (problem !== undefined) throw new UnclearCalls(problem);
    }
  }

  #problemOf(call: OpenCall, later: LaterCalls): string | undefined {
    const { name, text, places, pieces } = call;
    if (name === "") return "a call has no name.";
    const { state } = text;
    const isUnfinished = state === "open" || state === "broken";
    const isShared = places.some(({ size }) => size > 1) && pieces > 1;
    if (isUnfinished && (isShared || call.isMisplaced))
      return `the pieces of the arguments of "${name}" make no JSON, and may be those of several calls.`;
    const isCertain =
      call.doubt === undefined &&
      !call.isRepeated &&
      call.repeats.size + (call.isContinued ? 1 : 0) < 2 &&
      !(state === "none" && this.#mayBeEcho(call)) &&
      (state === "whole" || !this.#mayBePartOf(later.like(call)));
    later.add(call);
    return isCertain ? undefined : `"${name}" came again, as one call or as another.`;
  }

  /** True if the call may be the last piece of the finished call of its name before it. */
  #mayBeEcho({ echo }: OpenCall): boolean {
    if (echo === "elsewhere") return this.#doIdsChange;
    if (echo === undefined || this.#areNamesFirst) return false;
    return echo !== "other" || !this.#doIdsStay || this.#doIdsChange;
  }

  /** True if a call whose arguments are missing may be one with a later one of its name, which has another index. */
  #mayBePartOf(later: "distinct" | "alike" | undefined): boolean {
    return later === "alike" ? !this.#areNamesFirst : later === "distinct" && this.#doIdsChange;
  }

  #nameless(piece: Piece, fragment: WireToolDelta): OpenCall | undefined {
    const { index, id, args } = piece;
    const place = this.#places.get(index);
    if (args === "") {
      const known = place?.byId.get(id) ?? place?.newest;
      if (!known && id !== "") this.#waitingIds.set(index, id);
      return known && (fragment.extra_content || (known.id === "" && id !== "")) ? known : undefined;
    }
    const call = (id !== "" && this.#byId(piece, place)) || this.#byPlace(piece, place);
    this.#areNamesFirst = true;
    if (call.pieces > 0) call.isContinued = true;
    if (call.kindOf(id) === "same") this.#doIdsStay = true;
    return call;
  }

  /** Returns the call that has this id, unless the index says another one. */
  #byId({ index, id }: Piece, place: Place | undefined): OpenCall | undefined {
    const here = place?.byId.get(id);
    if (here) return here;
    const call = this.#anywhere.byId.get(id);
    if (!call || index === undefined) return call;
    if (place) throw contradiction(index);
    this.#lead(index, call);
    return call;
  }

  /** Returns the call that a piece without a name and a known id belongs to. */
  #byPlace(piece: Piece, place: Place | undefined): OpenCall {
    const { index, id } = piece;
    const near = place ?? this.#anywhere;
    if (near.open.size > 1)
      throw new UnclearCalls(
        `a piece without a name fits ${near.open.size} calls whose arguments are unfinished.`,
      );
    const isNew = place ? near.size === 0 : index !== undefined || id !== "" || near.size === 0;
    const call = near.onlyOpen ?? (isNew ? undefined : near.newest);
    if (!call) return this.#begin(piece);
    const isOtherId = call.kindOf(id || this.#waitingIds.get(index) || "") === "other";
    if (!place && index !== undefined) {
      if (isOtherId) throw new UnclearCalls("a piece with an index and an id of its own has no name.");
      this.#lead(index, call);
      call.isMisplaced = true;
    }
    if (isOtherId) this.#doIdsChange = true;
    return call;
  }

  #named(piece: Piece): OpenCall {
    const { index, id, name } = piece;
    const place = this.#places.get(index);
    if (!place) return this.#elsewhere(piece);
    const known = id === "" ? undefined : place.byId.get(id);
    if (!known && this.#anywhere.byId.has(id)) throw contradiction(index);
    const call = known?.name === name ? known : place.newest!;
    if (call.name === "") return call;
    if (call.name === name) return this.#sameName(call, piece, call.kindOf(id));
    const isOfIt = call.id !== "" && (id === "" || id === call.id);
    if (isOfIt && call.text.state === "none")
      throw new UnclearCalls(`"${name}" may be the rest of the name "${call.name}".`);
    const earlier = place.byName.get(name);
    if (earlier?.isOpen)
      throw new UnclearCalls(`"${name}" comes again while its first call has no whole arguments.`);
    const next = this.#begin(piece);
    next.echo = earlier?.kindOf(id);
    return next;
  }

  /** Returns the call of a piece with a name and an index that is new. */
  #elsewhere(piece: Piece): OpenCall {
    const { index, id, name, args } = piece;
    const known = id === "" ? undefined : this.#anywhere.byId.get(id);
    if (known?.name === "") {
      this.#lead(index, known);
      return known;
    }
    const call = known?.name === name ? known : this.#anywhere.byName.get(name);
    if (!call) return this.#begin(piece);
    const kind = call.kindOf(id);
    if (args !== "" && !BEGINS_JSON.test(args)) {
      if (kind !== "same" || !call.isOpen)
        throw new UnclearCalls(`the arguments of a call of "${name}" begin with no JSON object.`);
      this.#lead(index, call);
      call.isMisplaced = true;
      return call;
    }
    const next = this.#begin(piece);
    if (!call.isOpen) next.echo = kind === "other" ? "elsewhere" : kind;
    next.isApart = true;
    return next;
  }

  /** Returns the call of a piece with the index and the name of a call. */
  #sameName(call: OpenCall, piece: Piece, kind: IdKind): OpenCall {
    const { args } = piece;
    const { state } = call.text;
    if (state === "none") {
      if (args === "" || call.doubt !== undefined) call.isRepeated = true;
      call.doubt ??= kind;
      return call;
    }
    if (state === "open") {
      if (call.doubt === kind) call.doubt = undefined;
      if (args === "" && !(kind === "same" && call.repeats.has(kind))) call.isRepeated = true;
      call.repeats.add(kind);
      if (kind === "other" || kind === "again") this.#doIdsChange = true;
      if (kind === "same") this.#doIdsStay = true;
      return call;
    }
    if (kind === "same") {
      if (args === "" && !call.repeats.has("same")) call.isRepeated = true;
      return call;
    }
    const isMore = args !== "" && !BEGINS_JSON.test(args);
    if (isMore || kind === "again" || (args !== "" && call.text.isEmptyObject && kind === "none")) {
      call.isRepeated = true;
      return call;
    }
    const isMixed = kind === "late" || (kind === "none" && call.id !== "");
    if (isMixed) throw new UnclearCalls(`"${call.name}" comes again, once with an id and once without.`);
    const next = this.#begin(piece);
    next.echo = kind;
    return next;
  }

  #begin({ index, id, name }: Piece): OpenCall {
    const call = new OpenCall(this.#all.length, id || (this.#waitingIds.get(index) ?? ""), name);
    this.#waitingIds.delete(index);
    this.#all.push(call);
    this.#anywhere.list(call);
    this.#addTo(index, call);
    return call;
  }

  /** Lets another index mean the place of a call. */
  #lead(index: number | undefined, call: OpenCall): void {
    this.#places.set(index, call.places[0]!);
  }

  #addTo(index: number | undefined, call: OpenCall): void {
    let place = this.#places.get(index);
    if (!place) this.#places.set(index, (place = new Place()));
    place.list(call);
    call.places.push(place);
  }

  #extend(call: OpenCall, { id, name, args }: Piece): void {
    const isNews = (call.id === "" && id !== "") || (call.name === "" && name !== "");
    if (call.id === "") call.id = id;
    if (id !== "") call.lastId = id;
    if (call.name === "") call.name = name;
    if (isNews) for (const place of [this.#anywhere, ...call.places]) place.note(call);
    call.push(args);
    if (!call.isOpen) this.#anywhere.open.delete(call);
    if (call.text.state === "joined")
      throw new UnclearCalls(`the arguments of "${call.name}" are more than one JSON object.`);
  }
}

/** The calls that began later, each with an index of its own, by their names. */
class LaterCalls {
  readonly #byName = new Map<string, Set<string>>();

  add({ isApart, name, id }: OpenCall): void {
    if (!isApart) return;
    const ids = this.#byName.get(name) ?? new Set();
    this.#byName.set(name, ids.add(id));
  }

  /** Says whether later calls of the same name have ids that are not this call's; undefined if there is none. */
  like({ name, id }: OpenCall): "distinct" | "alike" | undefined {
    const ids = this.#byName.get(name);
    if (!ids) return undefined;
    return id === "" || ids.has("") || ids.has(id) ? "alike" : "distinct";
  }
}

function contradiction(index: number | undefined): UnclearCalls {
  return new UnclearCalls(`a piece has the index ${index} of one call and the id of another.`);
}

function pieceOf({ index, id, function: called }: WireToolDelta): Piece {
  const args = called?.arguments;
  return {
    index: indexOf(index),
    id: id ?? "",
    name: called?.name ?? "",
    args: typeof args === "string" ? args : args ? JSON.stringify(args) : "",
  };
}

/** Returns the index of a piece, which some servers send as a string. */
function indexOf(index: WireToolDelta["index"]): number | undefined {
  const number = typeof index === "string" && /^\s*-?\d+\s*$/.test(index) ? Number(index) : index;
  return Number.isInteger(number) ? (number as number) : undefined;
}
