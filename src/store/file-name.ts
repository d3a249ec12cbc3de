import crypto from "node:crypto";

const MAX_NAME = 120;
const HASH = /~[0-9a-f]{32}$/u;
/** Names that Windows gives to devices, whatever follows a dot. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/u;

const escapeByte = (byte: number) => `%${byte.toString(16).padStart(2, "0")}`;
const escaped = (part: string) => Array.from(Buffer.from(part), escapeByte).join("");

/**
 * Returns the name of a session's folder. Lower-case ASCII letters, digits, `-`, `_` and inner dots stay, any other byte of the id's UTF-8
 * becomes `%xx`. So different ids have different names on every file system, and no name is `.`, `..` or a device. A name that would be too
 * long is cut and ends with `~` and a hash of the id; no other name has a `~`.
 */
export function folderName(sessionId: string): string {
  let name = sessionId.replaceAll(/[^a-z0-9._-]+/gu, escaped).replaceAll(/^\.|\.$/gu, escaped);
  if (DEVICE.test(name)) name = escaped(name[0]!) + name.slice(1);
  return name.length <= MAX_NAME
    ? name
    : `${name.slice(0, 60)}~${crypto.hash("sha256", sessionId).slice(0, 32)}`;
}

/** Returns the session id of a folder's name; undefined if the name holds a hash, null if it is not that of a session. */
export function sessionIdOf(name: string): string | undefined | null {
  if (HASH.test(name)) return name.length === 60 + 33 ? undefined : null;
  const bytes = name.replaceAll(/%([0-9a-f]{2})/gu, (_, hex: string) =>
    String.fromCodePoint(parseInt(hex, 16)),
  );
  const sessionId = Buffer.from(bytes, "latin1").toString("utf8");
  return sessionId !== "" && folderName(sessionId) === name ? sessionId : null;
}
