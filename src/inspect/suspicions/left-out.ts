import { isObject, type Json, type JsonObject } from "../../core/base/json.ts";
import type { Piece } from "../../../machines/agent/prompt/edits.ts";
import type { RecordedCall } from "../protocol/recorded-call.ts";
import type { LeftOut } from "./facts.ts";

type Left = Omit<LeftOut, "text" | "messageId"> & { readonly message: JsonObject };

/** Stands for a message of a request that is not one of the transcript, such as a summary. */
const OTHER = -1;

const isOfUser = (message: Json | undefined): message is JsonObject =>
  isObject(message) && message["role"] === "user" && message["addedBy"] === undefined;

/** Returns the messages of the user that a request left out: by the view, and then by hooks. `said`: the transcript. */
export function leftOutOf(call: RecordedCall, said: readonly Json[]): readonly Left[] {
  const { view, bound, edits, foreign } = call;
  const length = Math.min(call.length, said.length);
  const from = Math.min(view?.from ?? 0, Math.max(0, length - 1));
  const head: ReadonlySet<number> = new Set(view?.head ?? []);
  const by: LeftOut["by"] = view?.summary ? "compaction" : bound ? "contextWindow" : "unknown";
  const left = said
    .slice(0, from)
    .flatMap((message, place) => (isOfUser(message) && !head.has(place) ? [{ message, by }] : []));
  // what another persona said was merged into other messages: places in the prompt are not places in the transcript
  if (foreign || edits.every(({ pieces }) => !pieces)) return left;
  return [...left, ...leftByHooks(call, said.slice(0, length), from)];
}

const isRange = (piece: Piece): piece is { readonly from: number; readonly to: number } =>
  !("inserted" in piece);

const hasResult = (message: Json | undefined): boolean =>
  isObject(message) &&
  Array.isArray(message["content"]) &&
  message["content"].some((block) => isObject(block) && block["type"] === "tool_result");

function leftByHooks(
  { view, edits, phase }: RecordedCall,
  said: readonly Json[],
  from: number,
): readonly Left[] {
  let begin = from; // a view begins before a result, with the call that it answers
  while (begin > 0 && hasResult(said[begin])) begin--;
  let places: readonly number[] = [
    ...(view?.summary ? [OTHER] : []),
    ...(view?.head ?? []).filter((place) => place < begin),
    ...Array.from({ length: said.length - begin }, (_, place) => begin + place),
    ...(phase === "summary" ? [OTHER] : []),
  ];
  return edits.flatMap(({ hook, pieces }): readonly Left[] => {
    if (!pieces) return [];
    const before = places;
    places = pieces.flatMap((piece) =>
      isRange(piece) ? before.slice(piece.from, piece.to) : piece.inserted.map(() => OTHER),
    );
    const stays = new Set(places);
    const gone = before.filter((place) => place !== OTHER && !stays.has(place));
    if (gone.length === 0) return [];
    // one that was inserted again was changed, not left out
    const inserted = new Set(
      pieces.flatMap((piece) => (isRange(piece) ? [] : piece.inserted.map(({ id }): Json => id))),
    );
    return gone.flatMap((place): readonly Left[] => {
      const message = said[place];
      return isOfUser(message) && !inserted.has(message["id"]!) ? [{ message, by: "hook", hook }] : [];
    });
  });
}
