import type { Msg } from "../message/types.ts";
import type { GenerateOptions, ModelRequest } from "./port.ts";

/** A run of the messages of a request. */
export type Piece = {
  readonly messages: readonly Msg[];
  /** What was made of the messages, by who has made it. Only a piece that stands in later requests too has it, as the same object. */
  readonly known?: { [by: symbol]: unknown };
};

/** What `console.log` shows of a request: its messages, not that they are made when they are read. */
const INSPECT = Symbol.for("nodejs.util.inspect.custom");
const SHOWN: PropertyDescriptor = {
  value(this: object): object {
    return { ...this };
  },
};

const piecesBy = new WeakMap<object, readonly Piece[]>();

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
  let list: readonly Msg[] | undefined;
  const request = {
    get messages(): readonly Msg[] {
      return (list ??= Object.freeze(listOf(pieces)));
    },
    ...rest,
  };
  piecesBy.set(request, pieces);
  return Object.defineProperty(request, INSPECT, SHOWN);
}

/** Returns the messages of pieces as one list. */
export function listOf(pieces: readonly Piece[]): Msg[] {
  return ([] as Msg[]).concat(...pieces.map(({ messages }) => messages));
}

/** Returns the messages of a request in pieces: one, if it was not made of several. */
export function piecesOf(request: ModelRequest): readonly Piece[] {
  return piecesBy.get(request) ?? [request];
}

/** Returns the request with other options. */
export function withOptions(request: ModelRequest, options: GenerateOptions): ModelRequest {
  const pieces = piecesBy.get(request);
  if (!pieces) return { ...request, options };
  const other = Object.defineProperties({}, Object.getOwnPropertyDescriptors(request)) as ModelRequest;
  piecesBy.set(other, pieces);
  return Object.assign(other, { options });
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
