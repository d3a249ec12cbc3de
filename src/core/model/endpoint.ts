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

const KEY_LIKE = /\b(sk|gsk|xai|pk|rk)-[\w-]{8,}|\bBearer\s+\S+/g;

/** Returns the text without the API key of the endpoint, and without anything that looks like an API key. */
export function redact(text: string, { apiKey }: Endpoint): string {
  const without = apiKey && apiKey.length >= 4 ? text.replaceAll(apiKey, "***") : text;
  return without.replace(KEY_LIKE, "***");
}
