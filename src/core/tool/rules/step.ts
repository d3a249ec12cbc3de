import {
  bitsOf,
  isCounted,
  MAX_REMEMBERED,
  seenAt,
  type Came,
  type Law,
  type LawState,
  type RuleData,
  type RuledCall,
  type RuleState,
  type RuleStates,
} from "./law.ts";
import { partOf } from "./judge.ts";
import { countOf, joinUsed, usedSince, withUsed } from "./uses.ts";

/** The state with a success about a key. Of too many keys the oldest is forgotten where a success is required, and nothing is known any
 *  more where it forbids. */
function withSeen<State extends LawState>(state: State, key: string, at: number, forbids: boolean): State {
  const { seen = {} } = state;
  const known = seenAt(seen, key);
  if (known !== undefined && known >= at) return state;
  const next = { ...seen, [key]: at };
  if (known !== undefined || Object.keys(next).length <= MAX_REMEMBERED) return { ...state, seen: next };
  if (forbids) return { ...state, isLost: true };
  const [oldest] = Object.entries(next).reduce((one, other) => (other[1] < one[1] ? other : one));
  const { [oldest]: _, ...rest } = next;
  return { ...state, seen: rest };
}

function withUse<State extends LawState>(
  { within }: Extract<Law, { kind: "limit" }>,
  state: State,
  { id, letter }: RuledCall,
  at: number,
): State {
  const { key = "", amount = 1 } = letter ?? {};
  const used = withUsed(state.used, key, [id, at, amount]);
  if (countOf(used) <= MAX_REMEMBERED) return { ...state, used };
  if (within === undefined) return { ...state, isLost: true };
  const recent = usedSince(used, at - within);
  return countOf(recent) <= MAX_REMEMBERED ? { ...state, used: recent } : { ...state, isLost: true };
}

/** Returns what a law remembers after a call came to something at an instant. What only may have taken effect counts where a success
 *  forbids, and not where one is required. */
export function step<State extends LawState>(
  law: Law,
  state: State,
  call: RuledCall,
  came: Came,
  at: number,
): State {
  const { name, letter } = call;
  if (!isCounted(law, name)) return state;
  if (law.kind === "any") {
    const of = law.of.map((part, index) =>
      step<LawState>(part, state.of?.[index] ?? {}, { ...call, letter: partOf(letter, index) }, came, at),
    );
    return { ...state, of };
  }
  if (letter?.isVoid) return state;
  const isUnread = letter?.problem !== undefined;
  switch (law.kind) {
    case "before": {
      const isSuccess = came === "success" || (came === "answered" && law.answers === true);
      return isSuccess && !isUnread ? withSeen(state, letter?.key ?? "", at, false) : state;
    }
    case "if": {
      if (came !== "success") return state;
      const bits = bitsOf(law.knows, name);
      return law.knows
        .filter((_, index) => (bits & (1 << index)) !== 0)
        .reduce((now, known) => withSeen(now, known, at, false), state);
    }
    case "never":
      return isUnread ? { ...state, isLost: true } : withSeen(state, letter?.key ?? "", at, true);
    case "limit":
      if (letter?.isOther) return state;
      return isUnread ? { ...state, isLost: true } : withUse(law, state, call, at);
    case "approved":
      return state;
  }
}

/** Returns what a law remembers once something may have happened of which nothing is known. */
export function lost<State extends LawState>(law: Law, state: State): State {
  if (law.kind === "any")
    return { ...state, of: law.of.map((part, index) => lost<LawState>(part, state.of?.[index] ?? {})) };
  return law.kind === "never" || law.kind === "limit" ? { ...state, isLost: true } : state;
}

function joinSeen(one: LawState["seen"], other: LawState["seen"]): LawState["seen"] {
  if (!one || !other) return one ?? other;
  const later = Object.entries(other).map(
    ([key, at]) => [key, Math.max(at, seenAt(one, key) ?? at)] as const,
  );
  return { ...one, ...Object.fromEntries(later) };
}

/** Returns what two memories of a law know together. */
export function join(one: LawState, other: LawState): LawState {
  const seen = joinSeen(one.seen, other.seen);
  const used = joinUsed(one.used, other.used);
  const length = Math.max(one.of?.length ?? 0, other.of?.length ?? 0);
  const of = Array.from({ length }, (_, index) => join(one.of?.[index] ?? {}, other.of?.[index] ?? {}));
  return {
    ...(seen && { seen }),
    ...(used && { used }),
    ...((one.isLost ?? other.isLost) && { isLost: true as const }),
    ...(length > 0 && { of }),
  };
}

/** Returns what a rule remembers in a turn: nothing of another rule of its name, nor of another turn if it is about one turn. */
export function stateOf(
  { name, id, scope }: RuleData,
  states: RuleStates | undefined,
  turn: number,
): RuleState {
  const known = states && Object.hasOwn(states, name) ? states[name] : undefined;
  const isOwn = known?.id === id && (scope === "session" || known.turn === turn);
  return isOwn ? known : { id, ...(scope === "turn" && { turn }) };
}

/** Returns the memories of a session with those of another one that worked in its place, such as an agent inside of a call. Those of
 *  rules that it does not have are left out. */
export function joined(
  rules: readonly RuleData[],
  states: RuleStates | undefined,
  others: RuleStates | undefined,
  turn: number,
): RuleStates | undefined {
  if (!others) return states;
  const pairs = rules.flatMap((rule): [string, RuleState][] => {
    const { name, id, scope } = rule;
    const other = Object.hasOwn(others, name) ? others[name] : undefined;
    if (other?.id !== id || (scope === "turn" && other.turn !== turn)) return [];
    const own = stateOf(rule, states, turn);
    return [[name, { ...own, ...join(own, other) }]];
  });
  return pairs.length > 0 ? { ...states, ...Object.fromEntries(pairs) } : states;
}

/** Returns the memories with which an agent inside of a call begins or goes on: its own, and those of the agent around it. What is about
 *  one turn is about the turn around it. */
export function seeded(
  rules: readonly RuleData[],
  own: RuleStates | undefined,
  around: RuleStates | undefined,
): RuleStates | undefined {
  if (!around) return own;
  const pairs = rules.flatMap((rule): [string, RuleState][] => {
    const { name, id } = rule;
    const seed = Object.hasOwn(around, name) ? around[name] : undefined;
    if (seed?.id !== id) return [];
    const known = own && Object.hasOwn(own, name) ? own[name] : undefined;
    const isOther = known?.id !== id || known.turn !== seed.turn;
    return [[name, isOther ? seed : { ...seed, ...join(known, seed) }]];
  });
  return { ...own, ...Object.fromEntries(pairs) };
}
