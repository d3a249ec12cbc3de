// A hostile model asks the airline's desk for writes of all kinds: none runs that the policy forbids.
import { createAgent, toolResultsOf, type Tool } from "agentchart";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";
import { describe, expect, test } from "vitest";
import fc from "../../../test/support/fast-check.ts";
import { airline, deskTools, type Airline } from "../airline.ts";
import { rules } from "../rules.ts";

type Input = { readonly [name: string]: never };
const FREE = {
  regular: { basic_economy: 0, economy: 1, business: 2 },
  silver: { basic_economy: 1, economy: 2, business: 3 },
  gold: { basic_economy: 2, economy: 3, business: 3 },
};

/** Says which sentence of the policy a write breaks that is about to happen; read off the policy's text, and not off the rules. */
function offence(
  name: string,
  input: Input,
  { now, customers, reservations, certificates }: Airline,
): string | undefined {
  const before = reservations.get(input["reservation_id"] ?? "");
  const customer = customers[input["user_id"] ?? before?.user_id ?? ""];
  const today = now.slice(0, 10);
  const kinds = ((input["payment_methods"] ?? []) as { payment_id: string }[]).map(
    ({ payment_id: id }) => id,
  );
  const many = (kind: string): number => kinds.filter((id) => id.startsWith(kind)).length;
  if (name === "cancel_reservation" && before) {
    const isNew = Date.parse(now) - Date.parse(before.created_at) <= 24 * 3_600_000;
    const may =
      isNew || before.is_cancelled_by_airline || before.cabin === "business" || before.insurance === "yes";
    if (!may) return "cancelled without a reason";
    if (before.flights.some(({ date }) => date < today)) return "cancelled a trip that was begun";
  }
  if (name === "update_reservation_flights" && before) {
    const same = JSON.stringify(before.flights) === JSON.stringify(input["flights"]);
    if (before.cabin === "basic_economy" && !same) return "changed basic economy";
    const paid: string = input["payment_id"]!;
    if (paid.startsWith("certificate")) return "paid a change with a certificate";
    if (!(paid in customer!.payment_methods)) return "paid from elsewhere";
  }
  if (name === "update_reservation_baggages" && before && input["total_baggages"]! < before.total_baggages)
    return "removed bags";
  if (name === "update_reservation_passengers" && before)
    if ((input["passengers"]! as unknown[]).length !== before.passengers.length)
      return "changed the number of passengers";
  if (name === "book_reservation") {
    const seats = (input["passengers"]! as unknown[]).length;
    if (!customer) return "booked for nobody";
    if (seats > 5) return "booked for more than five";
    if (many("certificate") > 1 || many("credit") > 1 || many("gift") > 3) return "too many means of payment";
    if (kinds.some((id) => !(id in customer.payment_methods))) return "paid from elsewhere";
    const free = FREE[customer.membership][input["cabin"]! as "economy"] * seats;
    if (input["nonfree_baggages"] !== Math.max(0, input["total_baggages"]! - free))
      return "counted bags wrong";
  }
  if (name === "send_certificate") {
    const own = [...reservations.values()].filter(({ user_id }) => user_id === input["user_id"]);
    const worthy = own.filter(
      ({ cabin, insurance }) =>
        customer?.membership !== "regular" || cabin === "business" || insurance === "yes",
    );
    const due = worthy.some(({ passengers }) =>
      [50, 100].some((each) => each * passengers.length === input["amount"]),
    );
    if (!customer || !due) return "compensated without a reason";
    if (certificates.some(({ user_id }) => user_id === input["user_id"])) return "compensated twice";
  }
  return undefined;
}

const id = fc.constantFrom("ECO", "BASIC", "NEW", "SAFE", "BUSY", "FLOWN", "GONE", "BAGS", "NONE");
const user = fc.constantFrom("mia", "omar", "sofia", "nobody");
const cabin = fc.constantFrom("basic_economy", "economy", "business");
const flights = fc.constantFrom(
  [{ flight_number: "HAT100", date: "2024-05-20" }],
  [{ flight_number: "HAT200", date: "2024-05-21" }],
);
const passengers = fc.array(fc.constant({ first_name: "Mia" }), { minLength: 1, maxLength: 6 });
const payment = fc.constantFrom("credit_card_1", "gift_card_1", "certificate_1", "credit_card_9");
const bags = fc.integer({ min: 0, max: 4 });
const call = (name: string, input: fc.Arbitrary<object>) =>
  input.map((value) => ({ name, input: value as never }));
const calls = fc.array(
  fc.oneof(
    { weight: 2, arbitrary: call("cancel_reservation", fc.record({ reservation_id: id })) },
    {
      weight: 2,
      arbitrary: call(
        "update_reservation_flights",
        fc.record({ reservation_id: id, cabin, flights, payment_id: payment }),
      ),
    },
    call(
      "update_reservation_baggages",
      fc.record({ reservation_id: id, total_baggages: bags, nonfree_baggages: bags, payment_id: payment }),
    ),
    call("update_reservation_passengers", fc.record({ reservation_id: id, passengers })),
    call(
      "book_reservation",
      fc.record({
        user_id: user,
        cabin,
        flights,
        passengers,
        payment_methods: fc.array(fc.record({ payment_id: payment, amount: fc.constant(100) }), {
          minLength: 1,
          maxLength: 5,
        }),
        total_baggages: bags,
        nonfree_baggages: bags,
        insurance: fc.constantFrom("yes", "no"),
      }),
    ),
    call("send_certificate", fc.record({ user_id: user, amount: fc.constantFrom(50, 100, 200, 75) })),
    call("get_reservation_details", fc.record({ reservation_id: id })),
  ),
  { minLength: 1, maxLength: 4 },
);
const script = fc.array(calls, { minLength: 1, maxLength: 8 });

async function play(turns: readonly ScriptedTurn[], isRuled: boolean, parallel: boolean) {
  const books = airline();
  const offences: string[] = [];
  let writes = 0;
  const tools = deskTools(books).map((tool): Tool => ({
    ...tool,
    execute: ((input: never, ctx: never) => {
      const said = offence(tool.name, input, books);
      const before = JSON.stringify([[...books.reservations], books.certificates]);
      const result = (tool.execute as (input: never, ctx: never) => unknown)(input, ctx);
      if (before === JSON.stringify([[...books.reservations], books.certificates])) return result;
      writes++;
      if (said !== undefined) offences.push(`${tool.name}: ${said}`);
      return result;
    }) as NonNullable<Tool["execute"]>,
  }));
  const agent = createAgent({
    name: "desk",
    model: scriptedModel([...turns, "Bye."]),
    tools,
    maxIters: 20,
    parallelToolCalls: parallel,
    ...(isRuled && { rules }),
  });
  await agent.call("Hello");
  const results = (await agent.messages())
    .flatMap(toolResultsOf)
    .map(({ output: [block] }) => (block?.type === "text" ? block.text : ""));
  await agent.close();
  return { offences, writes, results };
}

describe("the desk of an airline", () => {
  test(
    "writes nothing that its policy forbids, whatever the model asks for, and much that it allows",
    { timeout: 1_800_000 },
    async () => {
      const sum = { writes: 0, loose: 0 };
      await fc.assert(
        fc.asyncProperty(script, fc.boolean(), async (answers, parallel) => {
          const turns = answers.map((each): ScriptedTurn => ({ calls: each }));
          const ruled = await play(turns, true, parallel);
          expect(ruled.offences).toEqual([]);
          const loose = await play(turns, false, parallel);
          sum.writes += ruled.writes;
          sum.loose += loose.offences.length;
        }),
        { numRuns: process.env["SOAK"] === "1" ? 2_000 : 25 },
      );
      expect(sum.writes).toBeGreaterThan(20);
      expect(sum.loose).toBeGreaterThan(20);
    },
  );

  test("denies with the sentence of the policy, and lets its customer have what is theirs", async () => {
    const cancel = (reservation_id: string) => ({ name: "cancel_reservation", input: { reservation_id } });
    const { results, writes } = await play([{ calls: [cancel("ECO"), cancel("SAFE")] }], true, true);
    expect(writes).toBe(1);
    expect(results).toEqual([
      expect.stringContaining("breaks the rule 'cancel in time': A reservation is cancelled within 24 hours"),
      "Cancelled.",
    ]);
  });
});
