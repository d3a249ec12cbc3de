import { expect, onTestFinished, test } from "vitest";
import { serve } from "agentchart/server";
import { BEGIN, openServer, TOKENS } from "./open-server.ts";

/** Asks over HTTP, where a stream as body is sent without its length. */
async function openHttp() {
  const served = await serve(openServer({ maxBodyBytes: 1_000 }).app);
  onTestFinished(() => served.close());
  return async (method: string, path: string, text?: string) => {
    const response = await fetch(`${served.url}${path}`, {
      method,
      headers: { Authorization: `Bearer ${TOKENS.acme}`, "Content-Type": "application/json" },
      ...(text !== undefined && { body: new Blob([text]).stream(), duplex: "half" }),
    });
    return [response.status, ((await response.json()) as { readonly code?: string }).code];
  };
}

test("a body whose length is not said is read, and bounded as others are", async () => {
  const ask = await openHttp();
  expect(await ask("POST", "/v1/sessions", JSON.stringify(BEGIN))).toEqual([202, undefined]);
  expect(await ask("POST", "/v1/sessions", `"${"x".repeat(1_000)}"`)).toEqual([413, "request/too-large"]);
});

test.each(["PUT", "PATCH", "DELETE"])("%s without a body is no failure of ours", async (method) => {
  const ask = await openHttp();
  expect(await ask(method, "/v1/sessions")).toEqual([404, "request/not-found"]);
});
