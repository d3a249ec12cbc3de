const MOST_EDITS = 2;

/** Returns the candidate that was probably meant by a misspelt word, if any is near. At most two letters are wrong, missing, too many or
 *  swapped, or one is a whole part of the other. */
export function nearestName(word: string, candidates: readonly string[]): string | undefined {
  const near = candidates
    .map((candidate) => ({ candidate, distance: isPart(word, candidate) ? 1 : distanceOf(word, candidate) }))
    .filter(({ candidate, distance }) => distance <= MOST_EDITS && distance < candidate.length)
    .toSorted((one, other) => one.distance - other.distance);
  return near[0]?.candidate;
}

function isPart(word: string, candidate: string): boolean {
  const [parts, others] = [word.split("-"), candidate.split("-")];
  return parts.every((part) => others.includes(part)) || others.every((part) => parts.includes(part));
}

/** Returns the number of letters that must be replaced, dropped, added or swapped with their neighbour (optimal string alignment). Words
 *  whose lengths say that they are not near, such as a hostile one of a megabyte, are not compared. */
function distanceOf(from: string, to: string): number {
  if (Math.abs(from.length - to.length) > MOST_EDITS) return Number.POSITIVE_INFINITY;
  const rows: number[][] = [Array.from({ length: to.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number): number => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let row = 1; row <= from.length; row++) {
    rows.push([row]);
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwap = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      rows[row]!.push(
        Math.min(
          at(row - 1, column) + 1,
          at(row, column - 1) + 1,
          at(row - 1, column - 1) + (isSame ? 0 : 1),
          isSwap ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
  }
  return at(from.length, to.length);
}
