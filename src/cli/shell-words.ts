const PLAIN = /^(?!=)[\w@%+=:,./-]+$/;
/** What moves the cursor, turns the direction of text or breaks the line. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

function escaped(char: string): string {
  const code = char.codePointAt(0)!;
  const [letter, digits] = code < 0x80 ? ["x", 2] : code < 0x1_00_00 ? ["u", 4] : ["U", 8];
  return `\\${letter}${code.toString(16).padStart(digits, "0")}`;
}

/** A word as a POSIX shell reads it back; what cannot be seen is escaped as bash, zsh and ksh do. */
export function shellWord(word: string): string {
  if (PLAIN.test(word)) return word;
  if (word.search(UNSEEN) < 0) return `'${word.replaceAll("'", String.raw`'\''`)}'`;
  return `$'${word.replace(/[\\']/g, String.raw`\$&`).replace(UNSEEN, escaped)}'`;
}

/** A flag with its value as a shell reads it back. */
export function shellFlag(name: string, value: string): string {
  return value.startsWith("-") ? `--${name}=${shellWord(value)}` : `--${name} ${shellWord(value)}`;
}
