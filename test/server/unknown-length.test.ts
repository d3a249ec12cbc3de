// Bodies without a length.
import { expect, onTestFinished, test } from "vitest";
import { serve } from "agentchart/server";
import { NEW_SESSION, openServer, TOKENS } from "./open-server.ts";

/** Sends requests over HTTP, where a stream is sent without a Content-Length. */
async function openHttp() {
  const server = await serve(openServer({ maxBodyBytes: 1_000 }).app);
  onTestFinished(() => server.close());
  return async (method: string, path: string, text?: string) => {
    const response = await fetch(`${server.url}${path}`, {
      method,
      headers: { Authorization: `Bearer ${TOKENS.acme}`, "Content-Type": "application/json" },
      ...(text !== undefined && { body: new Blob([text]).stream(), duplex: "half" }),
    });
    return [response.status, ((await response.json()) as { readonly code?: string }).code];
  };
}

test("A body without a Content-Length is read up to the limit", async () => {
  const send = await openHttp();
  expect(await send("POST", "/v1/sessions", JSON.stringify(NEW_SESSION))).toEqual([202, undefined]);
  expect(await send("POST", "/v1/sessions", `"${"x".repeat(1_000)}"`)).toEqual([413, "request/too-large"]);
});

test.each(["PUT", "PATCH", "DELETE"])("%s without a body is not an internal error", async (method) => {
  const send = await openHttp();
  expect(await send(method, "/v1/sessions")).toEqual([404, "request/not-found"]);
});
