import { REDACTED } from "./secrets.ts";

/** The patterns of a text that look like a secret: credentials of a URL, what follows the name of one, a bearer token, keys of providers. */
const PATTERNS: readonly RegExp[] = [
  /(?<=\b[a-z][a-z\d+.-]*:\/\/)[^\s/?#]*(?=@)/gi,
  /(?<=\b(?:bearer|basic)\s+)[\w.~+/=-]{6,}/gi,
  /(?<=(?:passw(?:or)?d|passphrase|secret|token|api[-_ ]?key|access[-_ ]?key|credentials?)["']?\s*[:=]\s*["']?)[^\s"',;&]+/gi,
  /\b(?:sk|pk|rk|ghp|gho|ghs|glpat|xox[abp]|AKIA|AIza|eyJ)[-_]?[\w.-]{12,}/g,
];

/** Returns a text for people with "[redacted]" in place of what looks like a secret: an error of a user's code may quote one. */
export function hideSecrets(text: string): string {
  return PATTERNS.reduce((shown, pattern) => shown.replace(pattern, REDACTED), text);
}

/** Returns a connection string without its password. */
export function redactPassword(spec: string): string {
  return spec
    .replace(/^(\w+:\/\/[^/@:]*):[^/]*@/, "$1:***@")
    .replaceAll(/([?&](?:ssl)?password=)[^&]*/gi, "$1***");
}
