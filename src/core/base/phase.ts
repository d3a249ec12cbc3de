/** The phases that lists of sessions show:
 *  - `stopped`: no turn is open;
 *  - `running`: a turn is running in some process;
 *  - `suspended`: a turn waits for what `waitsFor` of the session says;
 *  - `unfinished`: a turn was cut off and can be resumed;
 *  - `quarantined`: the session is not resumed until an operator ends its quarantine. */
export const SESSION_PHASES = ["stopped", "running", "suspended", "unfinished", "quarantined"] as const;
/** One of {@link SESSION_PHASES}. */
export type SessionPhase = (typeof SESSION_PHASES)[number];
