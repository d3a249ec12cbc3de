import { type AgentError, configError, agentErrorOf } from "../../core/base/error.ts";
import { guarded } from "../../core/base/guarded.ts";
import * as s from "../../core/base/option-schema.ts";
import { check } from "../../core/base/options.ts";
import { isTextOrMedia, userMsg } from "../../core/message/msg.ts";
import type { Msg, Reason } from "../../core/message/types.ts";
import type { AnyAgent } from "../../agent/types.ts";

/** An agent as a hub needs it. */
export type HubParticipant = Pick<AnyAgent, "name" | "observe" | "status" | "addHook" | "removeHook">;

/** Options of {@link openHub}. */
export type HubOptions = {
  /** Who hears each other; at least one, each with a name of its own. One that is given twice counts once. */
  readonly participants: readonly HubParticipant[];
  /** The announcement that all of them hear first. A text is a message of the user `host`. */
  readonly announcement?: string | Msg | readonly Msg[] | undefined;
  /** True (default): the final reply of each participant is heard by the others, before its call resolves. */
  readonly autoBroadcast?: boolean | undefined;
  /** Called with the name of a participant that could not be told something, and why. The others are told, also if it throws. Default: ignored. */
  readonly onFailure?: ((participant: string, error: AgentError) => void) | undefined;
};

/** Agents that hear what the others answer. Made by {@link openHub}. */
export interface Hub {
  /** The names of the participants, in the order in which they came. */
  names(): string[];
  /** Adds participants, which hear what comes from now on; one that is there already stays as it is. Throws `config/invalid` for one
   *  without `observe` and for two of one name; then none is added. */
  add(...participants: readonly HubParticipant[]): void;
  /** Removes a participant: it no longer receives or sends messages. Returns false if it is not a participant. */
  remove(participant: HubParticipant | string): boolean;
  /** Tells all participants something. Resolves when those that are at rest have it; the others have it after their turn. */
  broadcast(message: string | Msg | readonly Msg[]): Promise<void>;
  setAutoBroadcast(on: boolean): void;
  /** Removes all participants. They keep what they have heard. */
  close(): void;
}

/** The replies that are answers: not those of turns that wait, were stopped or interrupted. */
const FINAL: readonly (Reason | undefined)[] = ["MODEL_STOP", "STRUCTURED_OUTPUT", "MAX_ITERATIONS"];

/** The schema of {@link HubOptions}. */
export const hubSchema = s.lazily(() =>
  s.options<HubOptions>({
    participants: s.list<readonly HubParticipant[]>("an array of agents"),
    announcement: s.optional(
      s.value<NonNullable<HubOptions["announcement"]>>(
        (given) => typeof given === "string" || (typeof given === "object" && given !== null),
        "a text, a message or messages",
      ),
    ),
    autoBroadcast: s.optional(s.boolean()),
    onFailure: s.optional(s.func<NonNullable<HubOptions["onFailure"]>>()),
  }),
);

/** True for a message that a participant has observed because another one has said it. */
export function isBroadcast({ metadata }: Msg): boolean {
  return metadata["broadcast"] === true;
}

/** Returns the part of a reply that others hear: its content without its origin. */
function spoken(reply: Msg): Msg | undefined {
  if (!FINAL.includes(reply.reason) || reply.metadata["interrupted"] === true) return undefined;
  const content = reply.content.filter(isTextOrMedia);
  return content.length > 0
    ? { ...reply, content, metadata: { ...reply.metadata, broadcast: true } }
    : undefined;
}

let hubs = 0;

class MsgHub implements Hub {
  readonly #members = new Map<string, HubParticipant>();
  readonly #hook = `hub ${++hubs}`;
  readonly #onFailure: NonNullable<HubOptions["onFailure"]>;
  #isAutomatic: boolean;

  constructor({ autoBroadcast = true, onFailure = () => {} }: HubOptions) {
    this.#isAutomatic = autoBroadcast;
    this.#onFailure = onFailure;
  }

  names(): string[] {
    return [...this.#members.keys()];
  }

  add(...participants: readonly HubParticipant[]): void {
    const names = this.names();
    const added = new Map<string, HubParticipant>();
    for (const each of participants) {
      if (typeof each?.observe !== "function" || typeof each.addHook !== "function")
        throw configError(
          `hub: participant '${each?.name}' has no \`observe\`; expected an agent of createAgent().`,
        );
      if (this.#members.get(each.name) === each || added.get(each.name) === each) continue;
      if (names.includes(each.name)) throw configError(`hub: two participants are named '${each.name}'.`);
      names.push(each.name);
      added.set(each.name, each);
    }
    for (const each of added.values()) {
      this.#members.set(each.name, each);
      each.addHook({
        name: this.#hook,
        priority: Number.MAX_SAFE_INTEGER,
        postCall: async ({ reply }) => {
          const said = this.#isAutomatic ? spoken(reply) : undefined;
          if (said) await this.#tell([said], each.name);
        },
      });
    }
  }

  remove(participant: HubParticipant | string): boolean {
    const name = typeof participant === "string" ? participant : participant.name;
    const member = this.#members.get(name);
    if (!member || (typeof participant !== "string" && member !== participant)) return false;
    member.removeHook(this.#hook);
    return this.#members.delete(name);
  }

  async broadcast(message: string | Msg | readonly Msg[]): Promise<void> {
    const messages = typeof message === "string" ? [userMsg(message, { name: "host" })] : [message].flat();
    await this.#tell(messages as readonly Msg[]);
  }

  setAutoBroadcast(on: boolean): void {
    this.#isAutomatic = on;
  }

  close(): void {
    for (const name of this.names()) this.remove(name);
  }

  /** Tells everybody but the author. One whose turn runs is not waited for: two that end at once would wait for each other. */
  async #tell(messages: readonly Msg[], author?: string): Promise<void> {
    const others = [...this.#members.values()].filter(({ name }) => name !== author);
    const telling = others.map(async (other) => {
      const isResting = other.status().phase !== "running";
      const told = other.observe(messages).catch((error: unknown) => {
        guarded(() => this.#onFailure(other.name, agentErrorOf(error, "message/invalid")));
      });
      if (isResting) await told;
    });
    await Promise.all(telling);
  }
}

/**
 * Opens a hub: what one participant answers, all others observe, so that several agents have a conversation. Each keeps its own session;
 * `formatter: "multiAgent"` of the model shows it who has said what. Thinking and tool calls stay with their agent. Who speaks next is
 * what the caller calls next. Throws `config/invalid` for wrong options, for no participant, for one without `observe`, and for two of one
 * name; rejects if the announcement is not a message.
 *
 * @example
 * ```ts
 * import { createAgent, type ChatModel } from "agentchart";
 * import { openHub } from "agentchart/team";
 *
 * export async function debate(model: ChatModel, rounds: number): Promise<void> {
 *   const debaters = ["ada", "bob", "eve"].map((name) => createAgent({ name, model }));
 *   const hub = await openHub({ participants: debaters, announcement: "Is it better to be early than right?" });
 *   for (let round = 0; round < rounds; round++) for (const debater of debaters) await debater.call();
 *   hub.close();
 * }
 * ```
 */
export async function openHub(options: HubOptions): Promise<Hub> {
  check(hubSchema(), options, "openHub");
  if (options.participants.length === 0)
    throw configError("openHub: `participants` is empty; expected at least one agent.");
  const hub = new MsgHub(options);
  hub.add(...options.participants);
  if (options.announcement !== undefined) await hub.broadcast(options.announcement);
  return hub;
}
