import { parsedJson } from "../../base/json.ts";
import { createParser, type EventSourceMessage } from "eventsource-parser";

/** The text that stands for a comment, with which a server keeps the connection open while the model has not answered. */
export const PING = "[PING]";

/** The data with which a server marks the end of a stream. */
export const DONE = "[DONE]";

/** A server-sent event: its data lines joined by "\n", and its name if it has one; or a comment. */
export type SseEvent = Pick<EventSourceMessage, "event" | "data"> | typeof PING;

/** Finds the events in a body that arrives in pieces, cut at any place. */
export interface BodyParser {
  /** Returns the events that `text` completes. */
  push(text: string): readonly SseEvent[];
  /** Returns the events that the end of the body completes. */
  end(): readonly SseEvent[];
}

/**
 * Creates a parser that reads a body as what its first character says, whatever its type is said to be: "{" or "[" begin a JSON
 * document, or one on each line; "<" begins a web page; anything else is a stream of events. Calls `onPage` for a web page, which
 * throws.
 */
export function createBodyParser(onPage: () => never): BodyParser {
  let parser: BodyParser | undefined;
  let isFirst = true;
  return {
    push(text) {
      if (!parser) {
        const begin = (isFirst ? text.replace(/^\uFEFF/, "") : text).trimStart();
        isFirst &&= text === "";
        if (begin === "") return text === "" ? [] : [PING];
        if (begin.startsWith("<")) onPage();
        parser = /^[{[]/.test(begin) ? createDocumentParser() : createEventParser();
        return parser.push(begin);
      }
      return parser.push(text);
    },
    end: () => parser?.end() ?? [],
  };
}

/** Creates a parser for a stream of events. A body without any event is one piece of data. */
function createEventParser(): BodyParser {
  let events: SseEvent[] = [];
  let body: string | undefined = "";
  const parser = createParser({
    onEvent: (event) => {
      body = undefined;
      events.push(event);
    },
    onComment: () => {
      body = undefined;
      events.push(PING);
    },
  });
  const push = (text: string): readonly SseEvent[] => {
    events = [];
    if (body !== undefined) body += text;
    parser.feed(text);
    return events;
  };
  const end = (): readonly SseEvent[] => {
    const whole = body;
    const last = push("\n\n"); // the last event may lack its blank line
    return last.length > 0 || !whole?.trim() ? last : [{ data: whole }];
  };
  return { push, end };
}

/** Creates a parser for one JSON document, or for a list or lines of them, each of which is a chunk. */
function createDocumentParser(): BodyParser {
  let rest = "";
  let hasLines: boolean | undefined;
  const linesOf = (text: string): readonly SseEvent[] => {
    const lines = text.split("\n");
    rest = lines.pop()!;
    return lines.filter((line) => line.trim() !== "").map((data) => ({ data }));
  };
  return {
    push(text) {
      rest += text;
      if (hasLines === undefined && text.includes("\n")) {
        const [first, second = ""] = rest.split("\n", 2);
        if (isDocument(first!) && second.trim() !== "") hasLines = true;
        else if (!isDocument(first!)) hasLines = false;
      }
      return hasLines ? linesOf(rest) : [];
    },
    end() {
      if (hasLines) return linesOf(`${rest}\n`);
      if (rest.trimStart().startsWith("[")) {
        const list = parsedJson(rest) as readonly unknown[] | undefined;
        if (list) return [...list.map((each) => ({ data: JSON.stringify(each) })), { data: DONE }];
      }
      return [{ data: rest }, { data: DONE }];
    },
  };
}

const isDocument = (line: string): boolean => parsedJson(`[${line}]`) !== undefined;
