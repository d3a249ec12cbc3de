import type { Json, JsonObject } from "../base/json.ts";
import type { Transcript } from "../message/transcript.ts";
import type { Msg } from "../message/types.ts";
import { aboutTurns, type AboutTurns } from "../message/about-turns.ts";
import type { AgentContext } from "../../machines/agent/context.ts";

const NOT_HERE: Pick<Transcript, "at"> = { at: () => undefined };

/** What lists show of a session. It is worked out once for each first message and outcome: it is asked at every step. */
export class AboutSession {
  /** What a store says of the first message, which may not be read yet. */
  readonly #title: string | undefined;
  #outcome: AgentContext["outcome"] | undefined;
  #first: Msg | undefined;
  #about: AboutTurns | undefined;

  constructor(title?: string) {
    this.#title = title;
  }

  /** Returns what lists show, passed through `display`. */
  of(
    { transcript, outcome }: Pick<AgentContext, "transcript" | "outcome">,
    display: (about: Json) => Json = (about) => about,
  ): AboutTurns {
    const isHere = transcript.from === 0;
    const first = isHere ? transcript.at(0) : undefined;
    if (this.#about && this.#outcome === outcome && this.#first === first) return this.#about;
    const about: AboutTurns = aboutTurns({
      reason: outcome?.reason,
      error: outcome?.error,
      messages: isHere ? transcript : NOT_HERE,
    });
    const title = isHere || this.#title === undefined ? undefined : { title: this.#title };
    this.#about = { ...title, ...(display(about as JsonObject) as AboutTurns) };
    this.#outcome = outcome;
    this.#first = first;
    return this.#about;
  }
}
