import type { Environment } from "./terminal.ts";

const KEYS = ["OPENAI_API_KEY", "DASHSCOPE_API_KEY"];
const URLS = ["DATABASE_URL", "REDIS_URL"];
/** Shorter ones would hide half of every text. */
const SHORTEST = 4;

/** The keys and passwords that this process was given. */
export function secretsOf(env: Environment, args: readonly string[]): readonly string[] {
  const keys = KEYS.flatMap((name) => env[name]?.trim() ?? []);
  const urls = [...URLS.flatMap((name) => env[name] ?? []), ...args];
  const passwords = urls.flatMap((url) => [
    ...(/:\/\/[^/@:]*:([^/]*)@/.exec(url)?.slice(1) ?? []),
    ...Array.from(url.matchAll(/[?&](?:ssl)?password=([^&#]+)/gi), ([, password = ""]) => password),
  ]);
  return [...keys, ...passwords, ...passwords.map(decoded)].filter(({ length }) => length >= SHORTEST);
}

/** The text without them. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((left, secret) => left.replaceAll(secret, "***"), text);
}

function decoded(password: string): string {
  try {
    return decodeURIComponent(password);
  } catch {
    return password;
  }
}
