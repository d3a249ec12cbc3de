export declare function loadTokenizer(): {
  readonly countTokens: (text: string, options: { readonly disallowedSpecial: Set<string> }) => number;
  readonly setMergeCacheSize: (entries: number) => void;
};
