const PLAIN = /^(?!=)[\w@%+=:,./-]+$/;
/** Characters that move the cursor, change the direction of text or break the line. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

function escape(char: string): string {
  const code = char.codePointAt(0)!;
  const [letter, digits] = code < 0x80 ? ["x", 2] : code < 0x1_00_00 ? ["u", 4] : ["U", 8];
  return `\\${letter}${code.toString(16).padStart(digits, "0")}`;
}

/** The word quoted for a POSIX shell. Invisible characters are escaped in the syntax of bash, zsh and ksh. */
export function shellQuote(word: string): string {
  if (PLAIN.test(word)) return word;
  if (word.search(INVISIBLE) < 0) return `'${word.replaceAll("'", String.raw`'\''`)}'`;
  return `$'${word.replace(/[\\']/g, String.raw`\$&`).replace(INVISIBLE, escape)}'`;
}

/** The flag and its value, quoted for a POSIX shell. */
export function shellFlag(flag: string, value: string): string {
  return value.startsWith("-") ? `${flag}=${shellQuote(value)}` : `${flag} ${shellQuote(value)}`;
}
