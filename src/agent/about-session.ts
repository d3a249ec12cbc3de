import type { JsonObject } from "../base/json.ts";
import type { Msg } from "../message/types.ts";
import { aboutTurns, type AboutTurns } from "../message/about-turns.ts";
import type { AgentContext } from "../../machines/agent/context.ts";

/** What lists show of a session. It is worked out once for each first message and outcome: it is asked at every step. */
export class AboutSession {
  #outcome: AgentContext["outcome"] | undefined;
  #first: Msg | undefined;
  #about: AboutTurns | undefined;

  /** Returns what lists show, passed through `display`. */
  of(
    { transcript, outcome }: Pick<AgentContext, "transcript" | "outcome">,
    display: (about: AboutTurns & JsonObject) => AboutTurns,
  ): AboutTurns {
    const first = transcript.at(0);
    if (this.#about && this.#outcome === outcome && this.#first === first) return this.#about;
    const about = aboutTurns({
      reason: outcome?.reason,
      error: outcome?.error,
      messages: transcript,
    });
    this.#about = display(about as AboutTurns & JsonObject);
    this.#outcome = outcome;
    this.#first = first;
    return this.#about;
  }
}
