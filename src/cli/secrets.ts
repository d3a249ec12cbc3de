import { KEY_NAMES } from "./ai-sdk-provider.ts";
import type { Environment } from "./terminal.ts";

const KEYS = [...KEY_NAMES, "DASHSCOPE_API_KEY"];
const URLS = ["DATABASE_URL", "REDIS_URL"];
/** Redacting shorter secrets would make every message unreadable. */
const MIN_LENGTH = 4;

/** The keys and passwords in the environment and the command line of this process. */
export function secretsOf(env: Environment, args: readonly string[]): readonly string[] {
  const keys = KEYS.flatMap((name) => env[name]?.trim() ?? []);
  const urls = [...URLS.flatMap((name) => env[name] ?? []), ...args];
  const passwords = urls.flatMap((url) => [
    ...(/:\/\/[^/@:]*:([^/]*)@/.exec(url)?.slice(1) ?? []),
    ...Array.from(url.matchAll(/[?&](?:ssl)?password=([^&#]+)/gi), ([, password = ""]) => password),
  ]);
  return [...keys, ...passwords, ...passwords.map(decoded)].filter(({ length }) => length >= MIN_LENGTH);
}

/** The text with *** in place of each secret. */
export function redact(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, "***"), text);
}

function decoded(password: string): string {
  try {
    return decodeURIComponent(password);
  } catch {
    return password;
  }
}
