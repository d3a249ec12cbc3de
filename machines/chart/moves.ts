import type { Move, Resolver } from "./resolve.ts";
import { commonParent, contains, edgesOf, matches, type Node, type Transition } from "./nodes.ts";

/** Returns a function that gives every move that an event of a descriptor may lead to from an innermost state. It works each way
 *  out once: a process makes the machine before its first answer. */
export function possibleMoves<Context extends object>({
  nodes,
}: Resolver<Context>): (leaf: Node<Context>, descriptor: string) => readonly Move[] {
  type Way = readonly Transition[];
  const ways = new Map<string, readonly Move[]>();
  const known = new Map<Node<Context>, Map<Way, readonly Move[]>>();

  /** The moves to a node through initial states and decisions. */
  const movesTo = (first: Node<Context>, common: Node<Context>): readonly Move[] => {
    const moves: Move[] = [];
    const seen = new Set<string>();
    const settle = (at: Node<Context>, within: Node<Context>): void => {
      const key = `${at.id} ${within.id}`;
      if (seen.has(key)) return;
      seen.add(key);
      if (at.initial !== undefined) settle(nodes.get(at.initial)!, within);
      else if (at.kind === "state") moves.push({ target: at.path, within: within.path });
      else
        for (const { target } of edgesOf(at.decide)) {
          const next = nodes.get(target!)!;
          const around = commonParent(at, next);
          settle(next, contains(around, within) ? around : within);
        }
    };
    settle(first, common);
    return moves;
  };

  const movesBy = (leaf: Node<Context>, transitions: Way): readonly Move[] =>
    edgesOf(transitions).flatMap(({ target, reenter }) => {
      const first = target === undefined ? undefined : nodes.get(target)!;
      if (!first || (first === leaf && !reenter)) return [];
      const common = commonParent(leaf, first);
      return kept(ways, `${first.id} ${common.id}`, () => movesTo(first, common));
    });

  return (leaf, descriptor) => {
    const own = kept(known, leaf, () => new Map<Way, readonly Move[]>());
    const moves: Move[] = [];
    for (let node: Node<Context> | undefined = leaf; node; node = node.parent) {
      const exact = node.on.get(descriptor);
      const wider = node.wildcards.filter((each) => each !== descriptor && matches(each, descriptor));
      const around = node.on;
      const all = [...(exact ? [exact] : []), ...wider.map((each) => around.get(each)!)];
      for (const transitions of all) moves.push(...kept(own, transitions, () => movesBy(leaf, transitions)));
    }
    return moves;
  };
}

/** What a map has for a key; made if it has nothing. */
export function kept<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = make()));
  return value;
}
