import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

type Value = { readonly stringValue?: string; readonly boolValue?: boolean; readonly intValue?: number };
type Attribute = { readonly key: string; readonly value: Value };

/** A span as it came over the wire. */
export type SentSpan = {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly attributes: { readonly [name: string]: unknown };
};

export type OtlpReceiver = {
  readonly url: string;
  readonly spans: () => readonly SentSpan[];
  /** All that was received, as text. */
  readonly text: () => string;
  /** The paths that were posted to. */
  readonly paths: () => readonly string[];
  close(): Promise<void>;
};

type Traces = {
  readonly resourceSpans?: readonly {
    readonly scopeSpans: readonly {
      readonly spans: readonly (Omit<SentSpan, "attributes"> & {
        readonly attributes: readonly Attribute[];
      })[];
    }[];
  }[];
};

/** A collector that speaks OTLP over HTTP with JSON, on loopback. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const bodies: { readonly path: string; readonly text: string }[] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.setEncoding("utf8").on("data", (piece: string) => (text += piece));
    request.on("end", () => {
      bodies.push({ path: request.url!, text });
      response.setHeader("Content-Type", "application/json").end("{}");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const valueOf = ({ stringValue, boolValue, intValue }: Value) => stringValue ?? boolValue ?? intValue;
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    text: () => bodies.map(({ text }) => text).join("\n"),
    paths: () => bodies.map(({ path }) => path),
    spans: () =>
      bodies
        .filter(({ path }) => path === "/v1/traces")
        .flatMap(({ text }) => (JSON.parse(text) as Traces).resourceSpans ?? [])
        .flatMap(({ scopeSpans }) => scopeSpans)
        .flatMap(({ spans }) => spans)
        .map(({ attributes, ...span }) => ({
          ...span,
          attributes: Object.fromEntries(attributes.map(({ key, value }) => [key, valueOf(value)])),
        })),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
