import fc from "../../support/fast-check.ts";
import { expect, test } from "vitest";
import { requestText } from "../../../src/model/openai/request-text.ts";
import type { ChatMessage, ChatRequest } from "../../../src/model/openai/wire.ts";

const MESSAGES = Array.from({ length: 100 }, (_, index): ChatMessage => ({
  role: "user",
  content: `"${index}" ü\u2028`,
}));

/** Requests that mostly grow, and sometimes begin elsewhere, lose one in the midst or are sent again. */
const requests = fc.array(
  fc.record({ from: fc.constantFrom(0, 0, 0, 1, 5), to: fc.nat(100), without: fc.option(fc.nat(99)) }),
  { minLength: 1, maxLength: 12 },
);

test("whatever was sent before, the text of a request is its JSON", () => {
  fc.assert(
    fc.property(requests, (all) => {
      for (const { from, to, without } of all) {
        const messages = MESSAGES.slice(from, to).filter((_, index) => index !== without);
        const request = { model: "m", stream: true, messages } as unknown as ChatRequest;
        expect(JSON.parse(requestText(request))).toEqual(JSON.parse(JSON.stringify(request)));
      }
    }),
    { numRuns: 200 },
  );
});
