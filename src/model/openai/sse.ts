/** One server-sent event: its data lines joined by "\n", and its event name if one was given. */
export type SseEvent = { readonly event?: string; readonly data: string };

/** Reads server-sent events from text that is cut at any place. */
export interface SseParser {
  /** The events that `text` completes. */
  push(text: string): SseEvent[];
  /** The event that was open when the stream ended, without its closing blank line. */
  end(): SseEvent[];
}

/** A parser by the rules of the HTML standard: LF, CR and CRLF end a line, a blank line ends an event. */
export function createSseParser(): SseParser {
  let rest = "";
  let endedWithCr = false;
  let event: string | undefined;
  let data: string[] = [];

  const flush = (): SseEvent[] => {
    const events = data.length > 0 ? [{ ...(event !== undefined && { event }), data: data.join("\n") }] : [];
    event = undefined;
    data = [];
    return events;
  };

  const readLine = (line: string, events: SseEvent[]) => {
    if (line === "") {
      events.push(...flush());
    } else if (line.startsWith("data:")) {
      data.push(line.slice(line[5] === " " ? 6 : 5));
    } else if (line.startsWith("event:")) {
      event = line.slice(6).trim();
    }
  };

  const toLf = (text: string): string => {
    const tail = endedWithCr && text.startsWith("\n") ? text.slice(1) : text;
    if (text !== "") endedWithCr = text.endsWith("\r");
    return tail.includes("\r") ? tail.replace(/\r\n?/g, "\n") : tail;
  };

  return {
    push(text) {
      const events: SseEvent[] = [];
      const buffer = rest + toLf(text);
      let from = 0;
      for (let at = buffer.indexOf("\n"); at >= 0; at = buffer.indexOf("\n", from)) {
        readLine(buffer.slice(from, at), events);
        from = at + 1;
      }
      rest = buffer.slice(from);
      return events;
    },
    end() {
      const events: SseEvent[] = [];
      if (rest !== "") readLine(rest, events);
      rest = "";
      events.push(...flush());
      return events;
    },
  };
}
