import { request } from "node:http";
import type { AgentEvent } from "agentchart";

/** A server-sent event. A comment and a retry have neither an id nor an event. */
export type Frame = { readonly id?: string; readonly event?: AgentEvent };

export type ReadOptions = {
  readonly token: string;
  readonly lastEventId?: string | undefined;
  /** Cuts the connection after this number of bytes, at any position. */
  readonly cutAfter?: number;
  /** Cuts the connection when it returns true for the frames so far. */
  readonly until?: (frames: readonly Frame[]) => boolean;
};

/** Reads an event stream over a new connection until it is cut, and returns the complete frames. */
export function readEvents(url: string, options: ReadOptions): Promise<readonly Frame[]> {
  const { token, lastEventId, cutAfter = Number.POSITIVE_INFINITY, until = () => false } = options;
  const { promise, resolve, reject } = Promise.withResolvers<readonly Frame[]>();
  const frames: Frame[] = [];
  const headers = {
    Authorization: `Bearer ${token}`,
    ...(lastEventId !== undefined && { "Last-Event-ID": lastEventId }),
  };
  const clientRequest = request(url, { headers, agent: false }, (response) => {
    if (response.statusCode !== 200) return reject(new Error(`Status ${response.statusCode}`));
    let [text, bytes] = ["", 0];
    response.on("data", (chunk: Buffer) => {
      const left = chunk.subarray(0, Math.max(0, cutAfter - bytes));
      bytes += chunk.length;
      text += left.toString("latin1");
      const whole = text.split("\n\n");
      text = whole.pop()!;
      frames.push(...whole.map(frameOf));
      if (bytes < cutAfter && !until(frames)) return;
      clientRequest.destroy();
      resolve(frames);
    });
    response.on("close", () => resolve(frames));
  });
  clientRequest.on("error", () => resolve(frames));
  clientRequest.end();
  return promise;
}

function frameOf(text: string): Frame {
  const field = (name: string): string | undefined =>
    text
      .split("\n")
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2);
  const [id, data] = [field("id"), field("data")];
  const utf8 = data === undefined ? undefined : Buffer.from(data, "latin1").toString("utf8");
  return {
    ...(id !== undefined && { id }),
    ...(utf8 !== undefined && { event: JSON.parse(utf8) as AgentEvent }),
  };
}

/** The id of the last frame that has one, for `Last-Event-ID`. */
export function lastIdOf(frames: readonly Frame[]): string | undefined {
  return frames.findLast(({ id }) => id !== undefined)?.id;
}
