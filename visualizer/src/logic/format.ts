import { t } from "../words/t.ts";

/** Formats a count: 1234567 → "1.23M", 43185 → "43.2k". An unknown count is "–", never 0. */
export function compact(count: number | undefined): string {
  if (count === undefined) return "–";
  if (count < 999.5) return String(Math.round(count));
  if (count < 999_500) return `${trimmed(count / 1_000)}k`;
  return `${trimmed(count / 1_000_000)}M`;
}

const trimmed = (value: number): string =>
  (value < 10 ? value.toFixed(2) : value < 100 ? value.toFixed(1) : value.toFixed(0)).replace(
    /\.0+$|(?<=\.\d)0$/,
    "",
  );

/** Formats a cost in dollars; "–" if it is unknown. */
export function money(cost: number | undefined): string {
  if (cost === undefined) return "–";
  if (cost === 0) return "$0";
  if (cost > 0 && cost < 0.000005) return "<$0.00001";
  return cost < 0.01 ? `$${cost.toFixed(5)}` : cost < 10 ? `$${cost.toFixed(3)}` : `$${cost.toFixed(2)}`;
}

/** Formats a duration; "–" if it is unknown, or negative because a clock went back: "0.2 ms", "413 ms", "2.21 s", "4 m 05 s", "3 h 12 m". */
export function duration(ms: number | undefined): string {
  if (ms === undefined || !Number.isFinite(ms) || ms < 0) return "–";
  if (ms < 9.95) return `${ms.toFixed(1)} ms`;
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1_000).toFixed(ms < 9_995 ? 2 : 1)} s`;
  const seconds = Math.floor(Math.max(ms, 60_000) / 1_000);
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} m ${pad(seconds % 60)} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 1_440
    ? `${Math.floor(minutes / 60)} h ${pad(minutes % 60)} m`
    : `${Math.floor(minutes / 1_440)} d ${Math.floor(minutes / 60) % 24} h`;
}

/** Formats a running clock: "0:42", "12:05". */
export function clock(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}:${pad(seconds % 60)}`;
  return `${Math.floor(seconds / 3_600)}:${pad(Math.floor(seconds / 60) % 60)}:${pad(seconds % 60)}`;
}

const pad = (value: number): string => String(value).padStart(2, "0");

/** Formats a time in the past: "now", "12 s", "4 m", "3 d". */
export function ago(at: number, now: number): string {
  const seconds = Math.max(0, Math.round((now - at) / 1_000));
  if (seconds < 3) return t("now");
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} m`;
  return seconds < 86_400 ? `${Math.floor(seconds / 3_600)} h` : `${Math.floor(seconds / 86_400)} d`;
}

/** Formats an instant as the reader's clock and calendar show it: "14:03:22" today, else "2026-11-29 14:03:22". "–" if no date can be it. */
export function localTime(at: number, now = Date.now()): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return "–";
  const dayOf = (of: Date): string => `${of.getFullYear()}-${pad(of.getMonth() + 1)}-${pad(of.getDate())}`;
  const [day, time] = [
    dayOf(date),
    [date.getHours(), date.getMinutes(), date.getSeconds()].map(pad).join(":"),
  ];
  return day === dayOf(new Date(now)) ? time : `${day} ${time}`;
}

/** Formats a time in the future: "in 3 s", finally "now". */
export function until(at: number, now: number): string {
  return at > now ? t`in ${Math.ceil((at - now) / 1_000)} s` : t("now");
}

/** Formats a size in bytes. */
export function bytes(length: number): string {
  if (length < 1_000) return `${length} B`;
  return length < 999_500 ? `${trimmed(length / 1_000)} kB` : `${trimmed(length / 1_000_000)} MB`;
}

/** Shortens an id to its two ends. */
export function shortId(id: string): string {
  return id.length > 16 ? `${id.slice(0, 6)}…${id.slice(-4)}` : id;
}

/** Bidirectional controls and invisible characters. */
const HIDDEN =
  /(?![\n\r\t])[\p{Cc}\u00AD\u061C\u200B-\u200F\u202A-\u202E\u2060-\u2064\u2066-\u206F\uFEFF\u{E0000}-\u{E007F}]/u;
/** Such characters where a script or an emoji needs them. */
const NEEDED = [
  /(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F])\u200D(?=\p{Extended_Pictographic})/u,
  /(?<=[\p{scx=Arab}\p{scx=Syrc}\p{scx=Mong}\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}])[\u200C\u200D]/u,
  /(?<=[\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{scx=Mymr}\p{scx=Khmr}])[\u200C\u200D]/u,
  // the flags of England, Scotland and Wales
  /(?<=\u{1F3F4})\u{E0067}\u{E0062}(?:\u{E0065}\u{E006E}\u{E0067}|\u{E0073}\u{E0063}\u{E0074}|\u{E0077}\u{E006C}\u{E0073})\u{E007F}/u,
];
const NEEDED_OR_HIDDEN = new RegExp(
  `(${NEEDED.map(({ source }) => source).join("|")})|${HIDDEN.source}`,
  "gu",
);
const ESCAPE = String.fromCodePoint(0x1b);
/** Terminal escape sequences. */
const ANSI = new RegExp(`${ESCAPE}\\[[\\d;?]*[ -/]*[@-~]`, "g");

function replaceHidden(text: string, replacement: (hidden: string) => string): string {
  if (!HIDDEN.test(text)) return text;
  return text.replace(NEEDED_OR_HIDDEN, (found, needed?: string) => needed ?? replacement(found));
}

const hex = (code: number): string => code.toString(16).toUpperCase().padStart(4, "0");

/**
 * Makes untrusted text safe to read: removes terminal escape sequences and makes bidirectional and invisible
 * characters visible.
 */
export function safeText(text: string): string {
  const withoutCodes = text.includes(ESCAPE) ? text.replace(ANSI, "").replaceAll(ESCAPE, "") : text;
  return replaceHidden(withoutCodes, (char) => `⟨U+${hex(char.codePointAt(0)!)}⟩`);
}

/**
 * Formats a value as editable JSON in which bidirectional and invisible characters are escaped, so that they
 * are visible and kept.
 */
export function jsonText(value: unknown): string {
  return replaceHidden(JSON.stringify(value, null, 2), (char) =>
    Array.from({ length: char.length }, (_, index) => `\\u${hex(char.charCodeAt(index))}`).join(""),
  );
}
