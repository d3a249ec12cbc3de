import { READ_ROOM } from "./task.ts";

/** What a model says in a turn, as `turnOf` of the task returns it. */
export type Turn = {
  readonly content: string;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
};

type Delta = { readonly content?: string; readonly tool_calls?: readonly object[] };

const HEAD = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "loopback" };
/** A count that the longest of the prompts and answers may have: one that cannot be is counted again. */
const USAGE = { prompt_tokens: 100_000, completion_tokens: 2_000, total_tokens: 102_000 };

const choice = (delta: Delta, finish_reason: string | null): object => ({
  ...HEAD,
  choices: [{ index: 0, delta, finish_reason }],
});

/** The deltas of a turn: a word each, and the arguments of a call in pieces of up to 10 characters. */
function deltasOf({ content, tool_calls = [] }: Turn): readonly Delta[] {
  const words = content.split(/(?<= )/).map((word) => ({ content: word }));
  const calls = tool_calls.flatMap(({ id, function: { name, arguments: args } }, index) => {
    const pieces = args.match(/.{1,10}/gs) ?? [];
    const fragment = (more: object): Delta => ({ tool_calls: [{ index, ...more }] });
    return [
      fragment({ id, type: "function", function: { name, arguments: "" } }),
      ...pieces.map((piece) => fragment({ function: { arguments: piece } })),
    ];
  });
  return [...words, ...calls];
}

/** The events of a streamed answer, as text. */
export function eventsOf(turn: Turn): readonly string[] {
  const chunks = [
    ...deltasOf(turn).map((delta) => choice(delta, null)),
    choice({}, turn.tool_calls ? "tool_calls" : "stop"),
    { ...HEAD, choices: [], usage: USAGE },
  ];
  return [...chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`), "data: [DONE]\n\n"];
}

const headers = { "content-type": "text/event-stream" };

/** A server in the same process that says its turns in order, each made before anything is measured. */
export function inProcess(turns: readonly Turn[]): {
  readonly fetch: typeof fetch;
  /** Begins with the first turn again. */
  readonly restart: () => void;
} {
  const bodies = turns.map((turn) => eventsOf(turn).join(""));
  let next = 0;
  return { restart: () => void (next = 0), fetch: async () => new Response(bodies[next++], { headers }) };
}

const encoder = new TextEncoder();

/** As {@link inProcess}, with one turn that comes in pieces of one event each, as servers send them. */
export function inPieces(turn: Turn): typeof fetch {
  const pieces = eventsOf(turn).map((event) => encoder.encode(event));
  return async () => {
    let next = 0;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        const piece = pieces[next++];
        if (piece) controller.enqueue(piece);
        else controller.close();
      },
    });
    return new Response(body, { headers });
  };
}

/** A turn that asks for many rooms at once. */
export function manyCalls(count: number): Turn {
  const call = (room: number) => ({
    id: `call_${room}`,
    function: { name: READ_ROOM.name, arguments: JSON.stringify({ room, unit: "celsius" }) },
  });
  return { content: "Reading.", tool_calls: Array.from({ length: count }, (_, room) => call(room)) };
}
