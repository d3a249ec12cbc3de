import { type AgentError, configError } from "../../base/error.ts";

/** A variable of the environment that holds a key, and whose key it is. */
export type KeyVariable = {
  readonly name: string;
  readonly read: () => string | undefined;
  /** True for the hosts of the provider that gave the key. */
  readonly isOwn: (host: string) => boolean;
};

type Keyed = { readonly apiKey?: string | undefined; readonly baseURL?: string | undefined };

/** Says why a text cannot be a key, such as one that was copied with its quotes, or an example of a page; undefined if it may be one. */
function keyProblem(key: string): string | undefined {
  if (/^(["'`]).*\1$/.test(key)) return "is in quotes, which are not part of it";
  if (/^Bearer\s/i.test(key)) return "begins with `Bearer`, which is not part of it";
  if (/[^\x21-\x7e]/.test(key))
    return "has a character that no key has, such as a space or the … of an example";
  return undefined;
}

/** Returns the key without spaces around it. Throws `config/invalid` if it is not a key. */
function checked(what: string, source: string, key: string): string {
  const trimmed = key.trim();
  const problem = keyProblem(trimmed);
  if (problem === undefined) return trimmed;
  throw configError(`${what}: ${source} ${problem}; copy the key alone.`);
}

const empty = (what: string, source: string, advice: string): AgentError =>
  configError(`${what}: ${source} is empty; ${advice}.`);

/**
 * Returns the key for a server: the given one, without spaces around it, or that of `variable`. A key of the environment goes over
 * https to the hosts of its own provider and nowhere else. Undefined if there is none. Throws `config/invalid` for an empty key,
 * and for a text that cannot be one. The variable is read for no other server.
 */
export function keyFor(what: string, { apiKey, baseURL }: Keyed, variable?: KeyVariable): string | undefined {
  if (apiKey !== undefined) {
    if (apiKey.trim() === "")
      throw empty(what, "`apiKey`", "expected a key, or no `apiKey` for a server that needs none");
    return checked(what, "`apiKey`", apiKey);
  }
  const url = variable && baseURL !== undefined ? URL.parse(baseURL) : null;
  if (!variable || url?.protocol !== "https:" || !variable.isOwn(url.hostname)) return undefined;
  const found = variable.read();
  if (found?.trim() === "")
    throw empty(what, variable.name, `set ${variable.name} to a key, or give \`apiKey\``);
  return found === undefined ? undefined : checked(what, variable.name, found);
}

/** Returns the options with the key of {@link keyFor}. */
export function withKey<T extends Keyed>(what: string, options: T): T & { readonly apiKey?: string } {
  const apiKey = keyFor(what, options);
  const given = Object.entries({ ...options, apiKey }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as T & { readonly apiKey?: string };
}
