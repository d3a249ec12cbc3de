import { userMsg, textOf, sourceMetadata, type AnswerSource } from "../message/msg.ts";
import type { Msg } from "../message/types.ts";
import { countText } from "../model/request.ts";

const EPHEMERAL = "ephemeral";

/** The maximum number of sessions of which a hook knows something at once. */
const MAX_SESSIONS = 1_000;

/** Sets the entry of a session; above the bound the oldest is dropped. */
export function keep<T>(map: Map<string, T>, sessionId: string, value: T): void {
  map.delete(sessionId);
  map.set(sessionId, value);
  for (const [oldest] of map) {
    if (map.size <= MAX_SESSIONS) return;
    map.delete(oldest);
  }
}

/** The result of a search that a hook shows to the model. */
export type Found = { readonly text: string; readonly sources: readonly AnswerSource[] };

type InTurn = { readonly sessionId: string; readonly turn: number };

/** The results that a hook has found for the turn of each session: they are looked for once, and shown to every model call of the turn. */
export class FoundPerTurn {
  readonly #found = new Map<string, { readonly turn: number; readonly found: Found | undefined }>();

  /** Returns the results that were found for the turn; the first call looks for them. */
  async get(e: InTurn, find: () => Promise<Found | undefined>): Promise<Found | undefined> {
    const known = this.#found.get(e.sessionId);
    if (known?.turn === e.turn) return known.found;
    const found = await find();
    keep(this.#found, e.sessionId, { turn: e.turn, found });
    return found;
  }

  /** The turn is over. */
  readonly forget = ({ sessionId }: { readonly sessionId: string }): void =>
    void this.#found.delete(sessionId);
}

/** A message for one model call: hooks that search do not search for it. */
export function ephemeralMsg({ text, sources }: Found, name: string): Msg {
  return userMsg(text, { name, metadata: { [EPHEMERAL]: true, ...sourceMetadata(sources) } });
}

/** The things that are shown, best first, and how: in a tag, behind a beginning that says what they are. */
type Shown<T> = {
  readonly tag: string;
  readonly begin: string;
  readonly items: readonly T[];
  readonly lineOf: (item: T) => string;
  readonly sourceOf: (item: T) => AnswerSource;
  readonly maxTokens: number;
};

/** Returns as many things as fit into a bound of tokens, as the model reads them; undefined for none. They are data: one that contains the
 *  closing tag cannot end the block. */
export function shownAsData<T>({
  tag,
  begin,
  items,
  lineOf,
  sourceOf,
  maxTokens,
}: Shown<T>): Found | undefined {
  const lines: string[] = [];
  let tokens = 0;
  for (const item of items) {
    const line = `- ${contained(lineOf(item), tag).replaceAll("\n", "\n  ")}`;
    tokens += countText(line);
    if (tokens > maxTokens) break;
    lines.push(line);
  }
  if (lines.length === 0) return undefined;
  const text = `<${tag}>${begin}\n${lines.join("\n")}\n</${tag}>`;
  return { text, sources: items.slice(0, lines.length).map(sourceOf) };
}

/** Returns a text that cannot end the block with this tag. */
export const contained = (text: string, tag: string): string =>
  text.replaceAll(new RegExp(`<(?=\\s*/?\\s*${tag})`, "giu"), "&lt;");

/** Returns the text that the user has asked last; "" for nothing. */
export function lastAsked(messages: readonly Msg[]): string {
  const asked = messages.findLast(({ role, metadata }) => role === "user" && metadata[EPHEMERAL] !== true);
  return asked ? textOf(asked) : "";
}
