/** The server and the model of a call, for error messages. */
export type Endpoint = {
  readonly model: string;
  readonly baseURL: string;
  /** Removed from every error message. */
  readonly secrets?: readonly string[];
};

/** Returns what no error may quote: the key, and the values of headers, which may hold one. Short ones are words such as `true`. */
export function secretsOf(
  apiKey: unknown,
  headers: { readonly [name: string]: string } = {},
): readonly string[] {
  const values = Object.values(headers).flatMap((value) => [value, ...value.split(/\s+/)]);
  const isKey = typeof apiKey === "string" && apiKey.length >= 4;
  return [...(isKey ? [apiKey] : []), ...values.filter(({ length }) => length >= 8)];
}

/** Returns the host of a base URL, without user and password. */
export function hostOf(baseURL: string): string {
  return URL.canParse(baseURL) ? new URL(baseURL).host : "the endpoint";
}

/** Returns `model "…" at host`, for the middle of a sentence. */
export function whereOf({ model, baseURL }: Endpoint): string {
  return `model "${model}" at ${hostOf(baseURL)}`;
}

/** The texts that look like an API key, and the user and password of a URL, which `fetch` quotes when it refuses them. */
const SECRETS = /\b(sk|gsk|xai|pk|rk)-[\w-]{8,}|\bBearer\s+\S+|(?<=:\/\/)[^\s/?#]*(?=@)/g;
/** The most of a text of a server that an error has, in characters: a proxy may send a whole page. */
const MAX_TEXT = 2_000;

/** Returns the text without the secrets of the endpoint, and without anything that looks like one. */
export function redact(text: string, { secrets = [] }: Endpoint): string {
  return secrets.reduce((shown, secret) => shown.replaceAll(secret, "***"), text).replace(SECRETS, "***");
}

/** Returns the text as an error has it: redacted, and no longer than what a person reads. */
export function asShown(text: string, endpoint: Endpoint): string {
  const clean = redact(text, endpoint);
  if (clean.length <= MAX_TEXT) return clean;
  return `${clean.slice(0, MAX_TEXT).toWellFormed()}… [${clean.length} characters]`;
}
