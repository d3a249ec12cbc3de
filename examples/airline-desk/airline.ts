// A small airline in memory, and the tools of its desk. Each write reads what the airline knows when its call is judged.
import { defineTool, toolError, type Tool } from "agentchart";
import { z } from "zod";
import type { Customer, Known, Reservation } from "./rules.ts";

/** The books of the airline. */
export type Airline = {
  readonly now: string;
  readonly customers: { readonly [id: string]: Customer };
  readonly reservations: Map<string, Reservation>;
  /** The certificates that were sent, by customer. */
  readonly certificates: { readonly user_id: string; readonly amount: number }[];
};

const reservation = (
  fields: Pick<Reservation, "reservation_id" | "user_id" | "cabin"> & Partial<Reservation>,
) => ({
  flights: [{ flight_number: "HAT100", date: "2024-05-20" }],
  passengers: [{ first_name: "Mia" }],
  created_at: "2024-05-01T10:00:00",
  total_baggages: 1,
  insurance: "no" as const,
  is_cancelled_by_airline: false,
  ...fields,
});

/** Returns an airline with three customers and eight reservations. */
export function airline(): Airline {
  const payment_methods = { credit_card_1: {}, gift_card_1: {}, certificate_1: {} };
  const reservations: readonly Reservation[] = [
    reservation({ reservation_id: "ECO", user_id: "mia", cabin: "economy" }),
    reservation({ reservation_id: "BASIC", user_id: "mia", cabin: "basic_economy" }),
    reservation({
      reservation_id: "NEW",
      user_id: "mia",
      cabin: "economy",
      created_at: "2024-05-15T09:00:00",
    }),
    reservation({ reservation_id: "SAFE", user_id: "omar", cabin: "economy", insurance: "yes" }),
    reservation({ reservation_id: "BUSY", user_id: "omar", cabin: "business", passengers: [{}, {}] }),
    reservation({
      reservation_id: "FLOWN",
      user_id: "omar",
      cabin: "business",
      flights: [
        { flight_number: "HAT100", date: "2024-05-14" },
        { flight_number: "HAT101", date: "2024-05-22" },
      ],
    }),
    reservation({
      reservation_id: "GONE",
      user_id: "sofia",
      cabin: "basic_economy",
      is_cancelled_by_airline: true,
    }),
    reservation({ reservation_id: "BAGS", user_id: "sofia", cabin: "economy", total_baggages: 3 }),
  ];
  return {
    now: "2024-05-15T15:00:00",
    customers: {
      mia: { membership: "regular", payment_methods },
      omar: { membership: "silver", payment_methods },
      sofia: { membership: "gold", payment_methods },
    },
    reservations: new Map(reservations.map((each) => [each.reservation_id, each])),
    certificates: [],
  };
}

const flights = z.array(z.object({ flight_number: z.string(), date: z.string() })).min(1);
const passengers = z.array(z.object({ first_name: z.string() })).min(1);
const cabin = z.enum(["basic_economy", "economy", "business"]);

/** Returns what the airline knows about the subject of a call. */
export function knownAbout(
  { now, customers, reservations }: Airline,
  { reservation_id: id, user_id: user }: { readonly reservation_id?: string; readonly user_id?: string },
): Known {
  const found = id === undefined ? undefined : reservations.get(id);
  const userId = user ?? found?.user_id;
  return {
    now,
    ...(found && { reservation: found }),
    ...(userId !== undefined && Object.hasOwn(customers, userId) && { customer: customers[userId] }),
    reservations: [...reservations.values()].filter((each) => each.user_id === userId),
  };
}

/** Returns the tools of the desk. Each write adds what is known to its arguments, where rules read it, and changes nothing if that has
 *  changed since. */
export function deskTools(of: Airline): readonly Tool[] {
  const { reservations, certificates } = of;
  const write = <Shape extends z.ZodRawShape>(
    name: string,
    description: string,
    shape: Shape,
    act: (
      input: z.output<z.ZodObject<Shape>>,
      before: Reservation | undefined,
    ) => Reservation | undefined | string,
  ): Tool =>
    defineTool({
      name,
      description,
      input: z.object(shape).transform((input) => ({ ...input, known: knownAbout(of, input) })),
      execute: (given) => {
        const { known, ...input } = given as z.output<z.ZodObject<Shape>> & { readonly known: Known };
        if (JSON.stringify(known) !== JSON.stringify(knownAbout(of, input)))
          return toolError("Something has changed in the meantime: look again.");
        const made = act(input as unknown as z.output<z.ZodObject<Shape>>, known.reservation);
        if (typeof made === "string") return made;
        if (made === undefined) return toolError("There is no such reservation.");
        reservations.set(made.reservation_id, made);
        return JSON.stringify(made);
      },
    }) as unknown as Tool;
  return [
    defineTool({
      name: "get_user_details",
      description: "Shows a customer.",
      input: z.object({ user_id: z.string() }),
      execute: ({ user_id }) =>
        Object.hasOwn(of.customers, user_id)
          ? JSON.stringify(of.customers[user_id])
          : toolError("No such customer."),
    }) as Tool,
    defineTool({
      name: "get_reservation_details",
      description: "Shows a reservation.",
      input: z.object({ reservation_id: z.string() }),
      execute: ({ reservation_id }) => {
        const found = reservations.get(reservation_id);
        return found ? JSON.stringify(found) : toolError("No such reservation.");
      },
    }) as Tool,
    write(
      "book_reservation",
      "Books flights.",
      {
        user_id: z.string(),
        cabin,
        flights,
        passengers,
        payment_methods: z.array(z.object({ payment_id: z.string(), amount: z.number() })).min(1),
        total_baggages: z.int().min(0),
        nonfree_baggages: z.int().min(0),
        insurance: z.enum(["yes", "no"]),
      },
      ({ payment_methods: _, nonfree_baggages: __, ...rest }) => ({
        ...rest,
        reservation_id: `R${reservations.size + 1}`,
        created_at: of.now,
      }),
    ),
    write(
      "cancel_reservation",
      "Cancels a whole reservation.",
      { reservation_id: z.string() },
      (_, before) => {
        if (!before) return undefined;
        reservations.delete(before.reservation_id);
        return "Cancelled.";
      },
    ),
    write(
      "update_reservation_flights",
      "Changes flights or the cabin of a reservation.",
      { reservation_id: z.string(), cabin, flights, payment_id: z.string() },
      (input, before) => before && { ...before, cabin: input.cabin, flights: input.flights },
    ),
    write(
      "update_reservation_baggages",
      "Changes the bags of a reservation.",
      {
        reservation_id: z.string(),
        total_baggages: z.int().min(0),
        nonfree_baggages: z.int().min(0),
        payment_id: z.string(),
      },
      ({ total_baggages }, before) => before && { ...before, total_baggages },
    ),
    write(
      "update_reservation_passengers",
      "Changes the passengers of a reservation.",
      { reservation_id: z.string(), passengers },
      (input, before) => before && { ...before, passengers: input.passengers },
    ),
    write(
      "send_certificate",
      "Sends a travel certificate.",
      { user_id: z.string(), amount: z.number() },
      ({ user_id, amount }) => {
        certificates.push({ user_id, amount });
        return "Sent.";
      },
    ),
    defineTool({
      name: "transfer_to_human_agents",
      description: "Hands the customer over to a person.",
      input: z.object({ summary: z.string() }),
      execute: () => "Transferred.",
    }) as Tool,
  ];
}
