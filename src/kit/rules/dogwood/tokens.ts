import { type AgentError, configError } from "../../../core/base/error.ts";

/** A token of a policy, with its place in the text. */
export type Token = {
  readonly kind: "name" | "string" | "number" | "duration" | "sign" | "end";
  readonly text: string;
  readonly at: number;
};

const SKIPPED = /(?:\s|\/\/[^\n]*)+/uy;
const TOKENS: readonly (readonly [kind: Token["kind"], pattern: RegExp])[] = [
  ["string", /"(?:[^"\\\n]|\\.)*"/uy],
  ["duration", /\d+[smhd]\b/uy],
  ["number", /-?\d+\b/uy],
  ["name", /[\p{L}_][\p{L}\p{N}_]*/uy],
  ["sign", /::|==|!=|<=|>=|&&|\|\||[<>!(){}[\],;:.@*]/uy],
];

/** An error at a place of a policy. */
export function wrongAt(text: string, at: number, from: string, problem: string): AgentError {
  const before = text.slice(0, at).split("\n");
  return configError(`${from}:${before.length}:${before.at(-1)!.length + 1}: ${problem}`);
}

/** Returns the tokens of a text. Throws `config/invalid` at a character that begins none. */
export function tokensOf(text: string, from: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(text)?.[0];
  };
  for (;;) {
    at += match(SKIPPED)?.length ?? 0;
    if (at >= text.length) return [...tokens, { kind: "end", text: "the end", at }];
    const found = TOKENS.map(([kind, pattern]) => [kind, match(pattern)] as const).find(([, each]) => each);
    if (!found) throw wrongAt(text, at, from, `unexpected '${String.fromCodePoint(text.codePointAt(at)!)}'`);
    const [kind, each] = found;
    tokens.push({ kind, text: each!, at });
    at += each!.length;
  }
}
