import { AgentError } from "../../base/error.ts";

/** What surrounds the content of a result in a message. */
export const MARGIN_BYTES = 64 * 1024;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/** The error of a message that is larger than it may be. */
export const tooLarge = (max: number): AgentError =>
  new AgentError("tool/failed", `A message of the server has more than ${max} bytes. Ask for less.`);

/** Returns a response whose body fails once a message in it is larger than `max` bytes: the whole body, or one event of a stream of events. */
export function bounded(response: Response, max: number, onTooLarge: (error: AgentError) => void): Response {
  if (!response.body) return response;
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
  let size = 0;
  let isLineEmpty = true;
  const count = (chunk: Uint8Array): void => {
    if (!isStream) return void (size += chunk.length);
    for (const byte of chunk) {
      size++;
      if (byte === CARRIAGE_RETURN) continue;
      if (byte === LINE_FEED && isLineEmpty) size = 0;
      isLineEmpty = byte === LINE_FEED;
    }
  };
  const body = response.body.pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(chunk, controller) {
        count(chunk);
        if (size <= max + MARGIN_BYTES) return controller.enqueue(chunk);
        const error = tooLarge(max);
        controller.error(error);
        onTooLarge(error);
      },
    }),
  );
  const { status, statusText, headers } = response;
  return new Response(body, { status, statusText, headers });
}
