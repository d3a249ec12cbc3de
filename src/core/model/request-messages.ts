import type { Msg } from "../message/types.ts";
import type { GenerateOptions, ModelRequest } from "./port.ts";

/** A run of the messages of a request. */
export type Piece = {
  readonly messages: readonly Msg[];
  /** The result that was made of the messages, by who has made it. Only a piece that stands in later requests too has it, as the same
   *  object. */
  readonly known?: { [by: symbol]: unknown };
};

/** The key of the function that makes what `console.log` shows of a request: its messages, not that they are made when they are read. */
const INSPECT = Symbol.for("nodejs.util.inspect.custom");
const SHOWN: PropertyDescriptor = {
  value(this: object): object {
    return { ...this };
  },
};

/** The parts of which a request is made, and the list that was made of them. */
type Parts = { readonly pieces: readonly Piece[]; list: readonly Msg[] | undefined };

/** The key under which a request has its parts, and itself: what stands for it, such as a proxy, may have other messages. */
const PARTS = Symbol("parts");
const SELF = Symbol("self");
type WithParts = { readonly [PARTS]?: Parts; readonly [SELF]?: object };

/** One for all requests: an object with a getter of its own is a slow object. */
const MESSAGES: PropertyDescriptor = {
  get(this: Required<WithParts>): readonly Msg[] {
    const parts = this[PARTS];
    return (parts.list ??= Object.freeze(listOf(parts.pieces)));
  },
  enumerable: true,
  configurable: true,
};

/**
 * Returns a request of these pieces. If later requests have some of them too, its list of messages is made when it is first read: an
 * agent that asks for the thousandth time has added two messages to its request and need not copy the others.
 *
 * `messages` is a frozen array of the request's own, the same at each reading: what is appended to the conversation later does not
 * change it. What is made of a request, as by a spread, has a plain list and no pieces: it may be given another list.
 */
export function requestOfPieces<Rest extends object>(
  rest: Rest,
  pieces: readonly Piece[],
): { readonly messages: readonly Msg[] } & Rest {
  if (!pieces.some(({ known }) => known)) return { messages: Object.freeze(listOf(pieces)), ...rest };
  return requestWith({ pieces, list: undefined }, rest);
}

function requestWith<Rest extends object>(
  parts: Parts,
  rest: Rest,
): { readonly messages: readonly Msg[] } & Rest {
  const request = Object.assign(Object.defineProperty({}, "messages", MESSAGES), rest);
  Object.defineProperty(request, PARTS, { value: parts });
  Object.defineProperty(request, SELF, { value: request });
  return Object.defineProperty(request, INSPECT, SHOWN) as never;
}

function partsOf(request: object): Parts | undefined {
  const { [PARTS]: parts, [SELF]: self } = request as WithParts;
  return self === request ? parts : undefined;
}

/** Returns the messages of pieces as one list. */
export function listOf(pieces: readonly Piece[]): Msg[] {
  return ([] as Msg[]).concat(...pieces.map(({ messages }) => messages));
}

/** Returns the messages of a request in pieces: one, if it was not made of several. */
export function piecesOf(request: ModelRequest): readonly Piece[] {
  return partsOf(request)?.pieces ?? [request];
}

/** Returns the request with other options. */
export function withOptions(request: ModelRequest, options: GenerateOptions): ModelRequest {
  const parts = partsOf(request);
  if (!parts) return { ...request, options };
  const names = Object.keys(request).filter((name) => name !== "messages") as (keyof ModelRequest)[];
  const rest = Object.fromEntries(names.map((name) => [name, request[name]]));
  return requestWith(parts, { ...(rest as Omit<ModelRequest, "messages">), options });
}

/** Returns what `make` makes of each piece. Of pieces that later requests have too, it is made once. */
export function ofEach<T>(pieces: readonly Piece[], by: symbol, make: (piece: Piece) => T): readonly T[] {
  return pieces.map((piece) => {
    const { known } = piece;
    if (!known) return make(piece);
    if (!(by in known)) known[by] = make(piece);
    return known[by] as T;
  });
}
