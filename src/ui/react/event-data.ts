import { createParser } from "eventsource-parser";

/** The data of the server-sent events of a response, piece by piece as it arrives: of a comment there is none. */
export async function* eventData(response: Response): AsyncGenerator<readonly string[]> {
  let data: string[] = [];
  const parser = createParser({ onEvent: (event) => void data.push(event.data) });
  for await (const text of response.body!.pipeThrough(new TextDecoderStream())) {
    parser.feed(text);
    yield data;
    data = [];
  }
}
