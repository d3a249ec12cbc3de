import type { WireToolDelta } from "../../../src/core/model/openai/wire.ts";

/** A call that the model made: the name of its tool, and the pieces of its arguments. */
export type MadeCall = { readonly name: string; readonly args: readonly string[] };

/** How a server numbers, names and orders the pieces of the calls. */
export type Style = {
  readonly index: keyof typeof INDEXES;
  readonly id: keyof typeof IDS;
  readonly name: keyof typeof NAMES;
  readonly order: keyof typeof ORDERS;
};

type Header = (call: number, piece: number, count: number) => string | number | null | undefined;

/** The index of a piece, by its call, its place in the call, and its place in the stream. */
export const INDEXES = {
  right: (call) => call,
  "all 0": () => 0,
  none: () => undefined,
  "from 1": (call) => call + 1,
  "arguments one on": (call, piece) => call * 2 + (piece > 0 ? 1 : 0),
  string: (call) => String(call),
  null: () => null,
  "from the end": (call) => 9 - call,
  "of the piece": (_, __, count) => count,
} satisfies { readonly [name: string]: Header };

export const IDS = {
  "first only": (call, piece) => (piece === 0 ? `id${call}` : undefined),
  "each piece": (call) => `id${call}`,
  none: () => undefined,
  empty: () => "",
  "empty later": (call, piece) => (piece === 0 ? `id${call}` : ""),
  "same for all": (_, piece) => (piece === 0 ? "id" : undefined),
  "new each piece": (call, piece) => `id${call}-${piece}`,
  "last only": (call, piece) => (piece === 0 ? null : `id${call}`),
} satisfies { readonly [name: string]: Header };

export const NAMES = {
  "first only": (name, piece) => (piece === 0 ? name : undefined),
  "each piece": (name) => name,
  "empty later": (name, piece) => (piece === 0 ? name : ""),
} satisfies { readonly [style: string]: (name: string, piece: number) => string | undefined };

type Place = readonly [call: number, piece: number];

export const ORDERS = {
  sequential: (lengths) => lengths.flatMap((length, call) => placesOf(call, length)),
  interleaved: (lengths) => {
    const longest = Math.max(...lengths);
    return placesOf(0, longest).flatMap(([, piece]) =>
      lengths.flatMap((length, call): Place[] => (piece < length ? [[call, piece]] : [])),
    );
  },
  /** All calls begin, then each goes on to its end. */
  "begun at once": (lengths) => [
    ...lengths.map((_, call): Place => [call, 0]),
    ...lengths.flatMap((length, call) => placesOf(call, length).slice(1)),
  ],
  /** All calls begin, then each goes on to its end, the last one first. */
  "ended in reverse": (lengths) => [
    ...lengths.map((_, call): Place => [call, 0]),
    ...lengths
      .flatMap((length, call) => [placesOf(call, length).slice(1)])
      .toReversed()
      .flat(),
  ],
} satisfies { readonly [name: string]: (lengths: readonly number[]) => readonly Place[] };

const placesOf = (call: number, length: number): Place[] =>
  Array.from({ length }, (_, piece): Place => [call, piece]);

/** The pieces in which a server of this style sends the calls. */
export function streamOf(calls: readonly MadeCall[], { index, id, name, order }: Style): WireToolDelta[] {
  return ORDERS[order](calls.map(({ args }) => args.length)).map(([call, piece], count) => {
    const made = calls[call]!;
    const [indexOf, idOf]: readonly Header[] = [INDEXES[index], IDS[id]];
    const fields = { index: indexOf!(call, piece, count), id: idOf!(call, piece, count) };
    const known = Object.entries(fields).filter(([, value]) => value !== undefined);
    const called = NAMES[name](made.name, piece);
    return {
      ...(Object.fromEntries(known) as Pick<WireToolDelta, "index" | "id">),
      type: "function",
      function: { ...(called !== undefined && { name: called }), arguments: made.args[piece]! },
    };
  });
}

/** What a call must run with. */
export function runOf({ name, args }: MadeCall): string {
  return `${name} ${JSON.stringify(JSON.parse(args.join("") || "{}"))}`;
}

export type Outcome = "right" | "error" | "nothing runs" | "lost" | "wrong";

/** Judges what ran of the calls; undefined for an answer that was refused. */
export function outcomeOf(calls: readonly MadeCall[], ran: readonly string[] | undefined): Outcome {
  if (!ran) return "error";
  const wanted = calls.map(runOf);
  if (JSON.stringify(ran) === JSON.stringify(wanted)) return "right";
  if (ran.length === 0) return "nothing runs";
  const left = [...wanted];
  const areAllWanted = ran.every((run) => {
    const at = left.indexOf(run);
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
  return areAllWanted ? "lost" : "wrong";
}

const styles = (
  indexes: readonly Style["index"][],
  ids: readonly Style["id"][],
  orders: readonly Style["order"][],
): Style[] =>
  indexes.flatMap((index) =>
    ids.flatMap((id) =>
      (Object.keys(NAMES) as Style["name"][]).flatMap((name) =>
        orders.map((order) => ({ index, id, name, order })),
      ),
    ),
  );

const PIECES = (path: string) => ["", '{"path"', `:"/${path}"}`];
const WHOLE = (path: string) => [`{"path":"/${path}"}`];

/** Two calls in every way of numbering and naming that was seen in public reports, with their styles. */
export function reportedStreams(): { readonly calls: readonly MadeCall[]; readonly style: Style }[] {
  const argsOfBoth = [
    [PIECES("a"), PIECES("b")],
    [WHOLE("a"), WHOLE("b")],
    [WHOLE("a"), [""]],
    [[""], WHOLE("b")],
    [WHOLE("a"), ["{}"]],
  ];
  const named = [
    ["read", "drop"],
    ["drop", "drop"],
  ];
  const all = styles(
    ["right", "all 0", "none", "from 1", "arguments one on", "string"],
    ["first only", "each piece", "none", "empty", "empty later", "same for all", "new each piece"],
    ["sequential", "interleaved"],
  );
  return named.flatMap((names) =>
    argsOfBoth.flatMap((args, shape) =>
      all
        .filter(({ order }) => order === "sequential" || shape === 0)
        .map((style) => ({ calls: names.map((name, call) => ({ name, args: args[call]! })), style }))
        .filter(({ calls, style }) => !isAmbiguous(calls, style)),
    ),
  );
}

/** What a stream says of its pieces: ids only by which of them are the same. */
function shapeOf(pieces: readonly WireToolDelta[]): string {
  const ids = new Map<string, number>();
  const numberOf = (id: string): number => ids.get(id) ?? ids.set(id, ids.size).size - 1;
  return JSON.stringify(pieces.map((piece) => (piece.id ? { ...piece, id: numberOf(piece.id) } : piece)));
}

/** True if every piece looks like the first one of a call, or if other calls make the same stream, one after the other. */
export function isAlsoOther(calls: readonly MadeCall[], style: Style): boolean {
  const isEachFirst = style.id === "new each piece" && style.name === "each piece";
  if (isEachFirst && (style.index === "of the piece" || style.index === "arguments one on")) return true;
  const pieces = streamOf(calls, style);
  const others: { name: string; args: string[] }[] = [];
  let isWhole = true;
  for (const piece of pieces) {
    const { name, arguments: args } = piece.function as {
      readonly name?: string;
      readonly arguments: string;
    };
    if (isWhole) others.push({ name: name ?? "", args: [] });
    const { args: known } = others.at(-1)!;
    known.push(args);
    isWhole = isJson(known.join(""));
  }
  const isSame = JSON.stringify(others) === JSON.stringify(calls);
  return (
    !isSame && isWhole && shapeOf(streamOf(others, { ...style, order: "sequential" })) === shapeOf(pieces)
  );
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** True if nothing in the second pieces of two interleaved calls says which is which. */
function isAmbiguous(calls: readonly MadeCall[], { index, id, name, order }: Style): boolean {
  const [indexOf, idOf]: readonly Header[] = [INDEXES[index], IDS[id]];
  const [one, two] = [0, 1].map((call) => [
    indexOf!(call, 1, 0),
    idOf!(call, 1, 0) ?? "",
    name === "each piece" && calls[call]!.name,
  ]);
  return order === "interleaved" && JSON.stringify(one) === JSON.stringify(two);
}

/** The ways to cut arguments into pieces. */
export const ARGS: readonly ((path: string) => readonly string[])[] = [
  PIECES,
  WHOLE,
  () => [""],
  () => ["{}"],
  (path) => ["", `{"path":"/${path}"}`],
  (path) => [`{"path":"/${path}"}`, ""],
  (path) => ["", '{"path":', `"/${path}"}`, ""],
  (path) => ['{"path":"/', `${path}"}`],
  (path) => ['{"path":', '{"path":', `"/${path}"}`, "}"],
  (path) => ["", "{", "}"].concat(path === "" ? "" : []),
  (path) => ["", '{"path":"', `{}${path}`, '"}'],
  () => ["", ""],
];

export const keysOf = <T extends object>(table: T): readonly (keyof T)[] => Object.keys(table) as (keyof T)[];
