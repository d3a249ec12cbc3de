// The written policy of an airline's desk as rules. They read the arguments of a call and, in `known`, what the desk knows about them.
import type { JsonObject, Msg } from "agentchart";
import { textOf, toolResultsOf } from "agentchart";
import { atMost, never, onlyIf, type Rule } from "agentchart/rules";

/** A reservation, as the desk's own tools show it. */
export type Reservation = {
  readonly reservation_id: string;
  readonly user_id: string;
  readonly cabin: "basic_economy" | "economy" | "business";
  readonly flights: readonly { readonly flight_number: string; readonly date: string }[];
  readonly passengers: readonly unknown[];
  readonly created_at: string;
  readonly total_baggages: number;
  readonly insurance: "yes" | "no";
  /** True if the airline has cancelled a flight of it; absent: that is not known. */
  readonly is_cancelled_by_airline?: boolean;
};

/** A customer, as the desk's own tools show them. */
export type Customer = {
  readonly payment_methods: { readonly [id: string]: unknown };
  readonly membership: "regular" | "silver" | "gold";
};

/** The knowledge of the desk about the subject of a call. */
export type Known = {
  /** The time in New York, such as "2024-05-15T15:00:00". */
  readonly now: string;
  readonly reservation?: Reservation | undefined;
  readonly customer?: Customer | undefined;
  /** The reservations of the customer. */
  readonly reservations?: readonly Reservation[] | undefined;
};

/** The arguments of a write, with what is known. Those of the model come from outside: each rule looks before it leaps. */
type Write = JsonObject & { readonly known?: Known };

const DAY_MS = 24 * 60 * 60_000;

const knownIn = (input: JsonObject): Known => {
  const { known } = input as Write;
  if (!known) throw new Error("nothing is known about it");
  return known;
};
const reservationIn = (input: JsonObject): Reservation => {
  const { reservation } = knownIn(input);
  if (!reservation) throw new Error("the reservation is not known");
  return reservation;
};
const customerIn = (input: JsonObject): Customer => {
  const { customer } = knownIn(input);
  if (!customer) throw new Error("the customer is not known");
  return customer;
};
const listIn = (input: JsonObject, name: string): readonly JsonObject[] =>
  Array.isArray(input[name]) ? (input[name] as readonly JsonObject[]) : [];
const paidWith = (input: JsonObject): readonly string[] =>
  listIn(input, "payment_methods").map((each) => String(each["payment_id"]));
const countOf = (input: JsonObject, kind: string): number =>
  paidWith(input).filter((id) => id.startsWith(kind)).length;
const sameFlights = (input: JsonObject): boolean => {
  const key = (flights: readonly object[]): string =>
    flights
      .map(
        (flight) => `${String(Reflect.get(flight, "flight_number"))} ${String(Reflect.get(flight, "date"))}`,
      )
      .join();
  return key(reservationIn(input).flights) === key(listIn(input, "flights"));
};

/** Free bags of one passenger. */
const FREE_BAGS: { readonly [membership in Customer["membership"]]: { readonly [cabin: string]: number } } = {
  regular: { basic_economy: 0, economy: 1, business: 2 },
  silver: { basic_economy: 1, economy: 2, business: 3 },
  gold: { basic_economy: 2, economy: 3, business: 3 },
};

const nonfreeBags = (input: JsonObject): number => {
  const free = FREE_BAGS[customerIn(input).membership][String(input["cabin"])] ?? 0;
  return Math.max(0, Number(input["total_baggages"]) - free * listIn(input, "passengers").length);
};

const isCancellable = (input: JsonObject): boolean => {
  const { cabin, insurance, created_at: at, is_cancelled_by_airline: byAirline } = reservationIn(input);
  const age = Date.parse(`${knownIn(input).now}Z`) - Date.parse(`${at}Z`);
  if (cabin === "business" || insurance === "yes" || age <= DAY_MS || byAirline === true) return true;
  if (byAirline === false) return false;
  throw new Error("it is not known whether the airline has cancelled a flight");
};

const isDue = (input: JsonObject): boolean => {
  const { reservations } = knownIn(input);
  if (!reservations) throw new Error("the reservations of the customer are not known");
  const hasStatus = customerIn(input).membership !== "regular";
  return reservations.some(
    ({ cabin, insurance, passengers }) =>
      (hasStatus || cabin === "business" || insurance === "yes") &&
      [50, 100].some((each) => input["amount"] === each * passengers.length),
  );
};

/** The tools that change something. */
export const WRITES = [
  "book_reservation",
  "cancel_reservation",
  "update_reservation_flights",
  "update_reservation_baggages",
  "update_reservation_passengers",
  "send_certificate",
] as const;

/** The rules of the desk, each with the sentence of the policy that it stands for. */
export const rules: readonly Rule[] = [
  onlyIf("cancel_reservation", isCancellable, {
    name: "cancel in time",
    says: "A reservation is cancelled within 24 hours of booking, if the airline has cancelled a flight, if it is business, or if it is insured.",
  }),
  onlyIf(
    "cancel_reservation",
    (input) => reservationIn(input).flights.every(({ date }) => date >= knownIn(input).now.slice(0, 10)),
    { name: "cancel before it is flown", says: "A trip of which a part has been flown is not cancelled." },
  ),
  onlyIf(
    "update_reservation_flights",
    (input) => reservationIn(input).cabin !== "basic_economy" || sameFlights(input),
    {
      name: "basic economy stays",
      says: "The flights of a basic economy reservation are not changed; its cabin may be.",
    },
  ),
  onlyIf("update_reservation_flights", (input) => !String(input["payment_id"]).startsWith("certificate"), {
    name: "changes by card",
    says: "A change of flights is paid, or paid back, with a gift card or a credit card.",
  }),
  onlyIf(
    "update_reservation_flights",
    (input) => String(input["payment_id"]) in customerIn(input).payment_methods,
    { name: "changes from the profile", says: "A payment method is in the profile of the customer." },
  ),
  onlyIf(
    "update_reservation_baggages",
    (input) => Number(input["total_baggages"]) >= reservationIn(input).total_baggages,
    { name: "bags are added", says: "Checked bags are added, and not removed." },
  ),
  onlyIf(
    "update_reservation_passengers",
    (input) => listIn(input, "passengers").length === reservationIn(input).passengers.length,
    { name: "as many passengers", says: "The number of passengers is not changed." },
  ),
  onlyIf("book_reservation", (input) => listIn(input, "passengers").length <= 5, {
    name: "five passengers",
    says: "A reservation has at most five passengers.",
  }),
  onlyIf(
    "book_reservation",
    (input) =>
      countOf(input, "certificate") <= 1 && countOf(input, "credit") <= 1 && countOf(input, "gift") <= 3,
    {
      name: "means of payment",
      says: "A reservation uses at most one certificate, one credit card and three gift cards.",
    },
  ),
  onlyIf(
    "book_reservation",
    (input) => paidWith(input).every((id) => id in customerIn(input).payment_methods),
    { name: "booked from the profile", says: "A payment method is in the profile of the customer." },
  ),
  onlyIf("book_reservation", (input) => Number(input["nonfree_baggages"]) === nonfreeBags(input), {
    name: "free bags",
    says: "Bags beyond the free ones of cabin and membership are paid, and no others.",
  }),
  onlyIf("send_certificate", isDue, {
    name: "who is compensated",
    says: "A certificate of $50 or $100 a passenger is for silver and gold members, insured and business reservations.",
  }),
  atMost(1, "send_certificate", {
    name: "one certificate",
    per: "user_id",
    says: "A customer gets one certificate.",
  }),
  never([...WRITES]).after("transfer_to_human_agents", {
    name: "nothing after a transfer",
    says: "After a transfer to a person the desk changes nothing.",
    optional: true,
  }),
];

const NOW = "2024-05-15T15:00:00";

function jsonIn(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the arguments of a recorded call with what the desk had seen until then, for `agentchart audit`. What a customer says about a
 *  cancelled flight is not known to be true. */
export function inputOf(
  { name, input }: { readonly name: string; readonly input: JsonObject },
  before: readonly Msg[],
): JsonObject {
  if (!(WRITES as readonly string[]).includes(name)) return input;
  const results = before.flatMap(toolResultsOf).filter(({ state }) => state === "success");
  const seen = results.flatMap((result) =>
    result.output.flatMap((block) => (block.type === "text" ? [jsonIn(block.text) ?? {}] : [])),
  );
  const all = new Map(
    seen.flatMap((value) => ("reservation_id" in value ? [[String(value["reservation_id"]), value]] : [])),
  ) as unknown as ReadonlyMap<string, Reservation>;
  const reservation = all.get(String(input["reservation_id"]));
  const userId = String(input["user_id"] ?? reservation?.user_id);
  const calls = new Map(
    before.flatMap(({ content }) =>
      content.flatMap((block) => (block.type === "tool_use" ? [[block.id, block.input]] : [])),
    ),
  ) as ReadonlyMap<string, JsonObject>;
  const shown = results.findLast(
    (result) => result.name === "get_user_details" && calls.get(result.id)?.["user_id"] === userId,
  );
  const [text] = shown?.output ?? [];
  const customer = text?.type === "text" ? jsonIn(text.text) : undefined;
  const said = before
    .filter(({ role }) => role === "user")
    .map(textOf)
    .join("\n");
  const saysSo =
    /cancel+ed\s+(by|flight)|flight\s+(was|has been|got)\s+cancel|airline\s+(has\s+)?cancel/iu.test(said);
  const known = {
    now: NOW,
    ...(reservation && {
      reservation: { ...reservation, ...(!saysSo && { is_cancelled_by_airline: false }) },
    }),
    ...(customer && { customer }),
    reservations: [...all.values()].filter((each) => each.user_id === userId),
  };
  return { ...input, known } as unknown as JsonObject;
}
