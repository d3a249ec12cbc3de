/** True if the name of a tool matches the pattern, in which `*` stands for any characters and `?` for one. Its time grows with the
 *  product of both lengths, whatever the pattern is. */
export function matchesName(pattern: string, name: string): boolean {
  let star = -1;
  let resumed = 0;
  let at = 0;
  let index = 0;
  while (index < name.length) {
    if (pattern[at] === "*") {
      star = at++;
      resumed = index;
    } else if (pattern[at] === "?" || pattern[at] === name[index]) {
      at++;
      index++;
    } else if (star >= 0) {
      at = star + 1;
      index = ++resumed;
    } else return false;
  }
  return /^\**$/.test(pattern.slice(at));
}
