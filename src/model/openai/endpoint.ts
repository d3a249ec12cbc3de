/** What a message about a failed call may name. */
export type Endpoint = {
  readonly model: string;
  readonly baseURL: string;
  /** Taken out of every message. */
  readonly apiKey?: string;
};

/** The host of a base URL, without user and password. */
export function hostOf(baseURL: string): string {
  return URL.canParse(baseURL) ? new URL(baseURL).host : "the endpoint";
}

/** `model "…" at host`, for the middle of a sentence. */
export function whereOf({ model, baseURL }: Endpoint): string {
  return `model "${model}" at ${hostOf(baseURL)}`;
}

const KEY_LIKE = /\b(sk|gsk|xai|pk|rk)-[\w-]{8,}|\bBearer\s+\S+/g;

/** The text without the endpoint's API key and without anything that looks like one. */
export function redact(text: string, { apiKey }: Endpoint): string {
  const without = apiKey && apiKey.length >= 4 ? text.replaceAll(apiKey, "***") : text;
  return without.replace(KEY_LIKE, "***");
}
