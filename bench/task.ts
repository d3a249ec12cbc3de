import { IS_SMOKE } from "./cpu.ts";

/** Tool rounds of the task that is run over HTTP. */
export const ROUNDS = IS_SMOKE ? 10 : 300;

/** How much is said in a round: words of the model before its call, and characters of the tool's answer. */
export type Size = { readonly words: number; readonly characters: number };

export const SIZES = {
  small: { words: 3, characters: 300 },
  usual: { words: 40, characters: 1_000 },
} as const satisfies { readonly [name: string]: Size };

export const SYSTEM = "Read all rooms with the tool read_room, one after the other.";
export const ANSWER = "All rooms are read.";

export const READ_ROOM = {
  name: "read_room",
  description: "The temperature of a room.",
  parameters: {
    type: "object",
    properties: { room: { type: "number" }, unit: { type: "string" } },
    required: ["room", "unit"],
  },
} as const;

export function readRoom(room: number, { characters }: Size): string {
  const reading = JSON.stringify({ room, celsius: 20 + (room % 7), note: "" });
  return reading.replace('""', `"${"steady ".repeat(characters / 7)}"`);
}

/** What the model says after so many rounds. */
export function turnOf(done: number, { words }: Size, rounds: number = ROUNDS) {
  if (done >= rounds) return { content: ANSWER };
  const call = { name: READ_ROOM.name, arguments: JSON.stringify({ room: done, unit: "celsius" }) };
  return {
    content: `Reading room ${done}: ${"next one ".repeat(words / 2)}`,
    tool_calls: [{ id: `call_${done}`, function: call }],
  };
}
