import { sha256 } from "../base/hash.ts";
import type { ToolUseBlock } from "../message/types.ts";
import type { IdRule } from "./host-rules.ts";

/** Maps call ids to wire ids, for the calls whose provider id no other call has. */
export function wireIdsOf(calls: readonly ToolUseBlock[]): ReadonlyMap<string, string> {
  const claimed = new Set(calls.map(({ id }) => id));
  const wireIds = new Map<string, string>();
  for (const { id, providerId } of calls) {
    if (providerId === undefined || claimed.has(providerId)) continue;
    claimed.add(providerId);
    wireIds.set(id, providerId);
  }
  return wireIds;
}

const FORMS: { readonly [form in IdRule["form"]]: RegExp } = {
  any: /^[^]+$/,
  word: /^[\w-]+$/,
  alphanumeric: /^[a-zA-Z0-9]+$/,
};

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** So many digits of the hash of an id. Nine of them are 53 bits: among 100,000 calls, two that get the same have a chance of one in two
 *  million. */
function digitsOf(id: string, count: number): string {
  let rest = BigInt(`0x${sha256(id)}`);
  let digits = "";
  while (digits.length < count) {
    digits += DIGITS[Number(rest % 62n)];
    rest /= 62n;
  }
  return digits;
}

function fits(id: string, { form, most, exactly }: IdRule): boolean {
  if (exactly !== undefined && id.length !== exactly) return false;
  return (most === undefined || id.length <= most) && FORMS[form].test(id);
}

/** Returns the id under which a host takes a call and its result. It depends on nothing but the id: so it is the same in each request,
 *  whichever other calls stand there. */
export function wireId(id: string, rule: IdRule): string {
  if (fits(id, rule)) return id;
  return rule.exactly === undefined ? `call_${digitsOf(id, 24)}` : digitsOf(id, rule.exactly);
}

/** Returns a name that the server accepts: a name that the model made up would make it refuse every later request. */
export function wireName(name: string, isStrict: boolean, names: RegExp = /^[\w-]{1,64}$/): string {
  if (name === "") return "unknown";
  if (!isStrict || names.test(name)) return name;
  const replaced = name.replace(/[^\w-]/g, "_").slice(0, 64);
  return names.test(replaced) ? replaced : `_${replaced}`.slice(0, 64);
}
