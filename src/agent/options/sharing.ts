import { freeze } from "../../core/base/freeze.ts";
import { isSame } from "../../core/base/json.ts";

/** Returns a function that freezes a JSON value and returns it, or the one that it was given last if both are deeply equal. The agents of a
 *  process are mostly made of one configuration, and may hold one object. */
export function sharing<T extends object>(): (value: T) => T {
  let last: T | undefined;
  return (value) => {
    if (last === undefined || !isSame(value, last)) last = freeze(value);
    return last;
  };
}
