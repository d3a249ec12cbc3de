import { hideSecrets } from "../base/secrets.ts";

/** The server and the model of a call, for error messages. */
export type Endpoint = {
  readonly model: string;
  readonly baseURL: string;
  /** Removed from every error message. */
  readonly secrets?: readonly string[];
};

/** Returns the host of a base URL, without user and password. */
export function hostOf(baseURL: string): string {
  return URL.canParse(baseURL) ? new URL(baseURL).host : "the endpoint";
}

/** Returns `model "…" at host`, for the middle of a sentence. */
export function whereOf({ model, baseURL }: Endpoint): string {
  return `model "${model}" at ${hostOf(baseURL)}`;
}

/** The most of a text of a server that an error has, in characters: a proxy may send a whole page. */
const MAX_TEXT = 2_000;

/** Returns the text as an error has it: without secrets, and no longer than what a person reads. */
export function asShown(text: string, { secrets }: Endpoint): string {
  const clean = hideSecrets(text, secrets);
  if (clean.length <= MAX_TEXT) return clean;
  return `${clean.slice(0, MAX_TEXT).toWellFormed()}… [${clean.length} characters]`;
}
