import { matchesName, type Place } from "../../core/tool/name-pattern.ts";

const MAX_PATTERN = 1_000;
const MAX_ALTERNATIVES = 64;

/** Expands the innermost braces of a pattern until none is left. Too many alternatives match nothing. */
function alternatives(pattern: string): readonly string[] {
  const found: string[] = [];
  const waiting = [pattern];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [whole, inner] = /\{([^{}]*,[^{}]*)\}/u.exec(next) ?? [];
    if (whole === undefined || inner === undefined) found.push(next);
    else for (const each of inner.split(",")) waiting.push(next.replace(whole, () => each));
    if (found.length + waiting.length > MAX_ALTERNATIVES) return [];
  }
  return found;
}

function classAt(pattern: string, at: number): { readonly place: Place; readonly end: number } | undefined {
  const [whole, negated, members] = /^\[([!^]?)(\]?[^\]]+)\]/u.exec(pattern.slice(at)) ?? [];
  if (whole === undefined || members === undefined) return undefined;
  const isMember = (character: string): boolean => {
    for (let index = 0; index < members.length; index++) {
      const [from, dash, to] = [members[index]!, members[index + 1], members[index + 2]];
      if (dash === "-" && to !== undefined) {
        if (from <= character && character <= to) return true;
        index += 2;
      } else if (from === character) return true;
    }
    return false;
  };
  return { place: (character) => isMember(character) !== (negated !== ""), end: at + whole.length };
}

function placesOf(pattern: string): readonly Place[] {
  const places: Place[] = [];
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at]!;
    const found = character === "[" ? classAt(pattern, at) : undefined;
    if (found) {
      places.push(found.place);
      at = found.end - 1;
    } else if (character === "*" || character === "?") places.push(character);
    else {
      const literal = character === "\\" && at + 1 < pattern.length ? pattern[++at]! : character;
      places.push((each) => each === literal);
    }
  }
  return places;
}

function matchesOne(pattern: string, names: readonly string[]): boolean {
  /** The numbers of names that each beginning of the pattern may have matched. */
  let reached = new Set([0]);
  for (const part of pattern.split("/")) {
    const next = new Set<number>();
    const places = part === "**" ? undefined : placesOf(part);
    for (const count of reached) {
      if (places) {
        if (count < names.length && matchesName(places, names[count]!)) next.add(count + 1);
      } else for (let all = count; all <= names.length; all++) next.add(all);
    }
    if (next.size === 0) return false;
    reached = next;
  }
  return reached.has(names.length);
}

/**
 * Returns whether a path matches a glob: `*` and `?` stay within a name, `**` stands for any directories, `[a-z]` for one character and
 * `{a,b}` for one of both. Patterns come from models, and names from whoever made the files: unlike with a regular expression no pattern
 * takes long. One of more than 1,000 characters or 64 alternatives matches nothing.
 */
export function matchesGlob(pattern: string, path: string): boolean {
  if (pattern.length > MAX_PATTERN) return false;
  const names = path.split("/");
  return alternatives(pattern).some((each) => matchesOne(each, names));
}
