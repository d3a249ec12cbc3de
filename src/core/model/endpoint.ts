/** The server and the model of a call, for error messages. */
export type Endpoint = {
  readonly model: string;
  readonly baseURL: string;
  /** Removed from every error message. */
  readonly apiKey?: string;
};

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

/** Returns the text without the API key of the endpoint, and without anything that looks like a secret. */
export function redact(text: string, { apiKey }: Endpoint): string {
  const without = apiKey && apiKey.length >= 4 ? text.replaceAll(apiKey, "***") : text;
  return without.replace(SECRETS, "***");
}

/** Returns the text as an error has it: redacted, and no longer than what a person reads. */
export function asShown(text: string, endpoint: Endpoint): string {
  const clean = redact(text, endpoint);
  if (clean.length <= MAX_TEXT) return clean;
  return `${clean.slice(0, MAX_TEXT).toWellFormed()}… [${clean.length} characters]`;
}
