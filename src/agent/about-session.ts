import type { JsonObject } from "../base/json.ts";
import { aboutTurns, type AboutTurns } from "../message/about-turns.ts";
import type { AgentContext } from "../../machines/agent/context.ts";

/** Returns a function that says what lists show of a session, passed through `display`. It computes that once for each first message
 *  and outcome: it is asked at every step. */
export function aboutSession(
  display: (about: AboutTurns & JsonObject) => AboutTurns,
): (context: AgentContext) => AboutTurns {
  let known:
    | { readonly outcome: AgentContext["outcome"]; readonly first: unknown; readonly about: AboutTurns }
    | undefined;
  return ({ transcript, outcome }) => {
    const first = transcript.at(0);
    if (known?.outcome === outcome && known.first === first) return known.about;
    const about = display(
      aboutTurns({ reason: outcome?.reason, error: outcome?.error, messages: transcript }) as AboutTurns &
        JsonObject,
    );
    known = { outcome, first, about };
    return about;
  };
}
