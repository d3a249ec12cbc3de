/** A place of a pattern: `*` for any characters, `?` for one, a character, or one that fits. */
export type Place = string | ((character: string) => boolean);

/** True if a name matches a pattern. Only the last star is tried again, so that the time grows with the product of both lengths, whatever
 *  the pattern is. */
export function matchesName(pattern: string | readonly Place[], name: string): boolean {
  let star = -1;
  let resumed = 0;
  let at = 0;
  let index = 0;
  while (index < name.length) {
    const place = pattern[at];
    if (place === "*") {
      star = at++;
      resumed = index;
    } else if (place === "?" || (typeof place === "function" ? place(name[index]!) : place === name[index])) {
      at++;
      index++;
    } else if (star >= 0) {
      at = star + 1;
      index = ++resumed;
    } else return false;
  }
  while (pattern[at] === "*") at++;
  return at === pattern.length;
}
