const PATTERNS: readonly (readonly [RegExp, (...parts: string[]) => string])[] = [
  [/^call\((.*?)\)(?: after (\d+) ms)?$/, (what, ms) => `${later(ms)}The agent is called with ${what}.`],
  [/^callModel: asks for (.*)$/, (names) => `The model asks for ${names}.`],
  [/^callModel: (.*)$/, (what) => `The model answers: ${what}.`],
  [/^reviewCalls: (.*)$/, (what) => `The review says: ${what}.`],
  [/^checkBreakpoints: none$/, () => "No breakpoint holds."],
  [/^checkBreakpoints: holds$/, () => "A breakpoint holds before the model is asked."],
  [/^runHooks (\w+): (.*)$/, (point, what) => `A hook of ${point} returns: ${what}.`],
  [/^tool (\d+): (.*)$/, (place, what) => `Call ${place} of the batch ends: ${what}.`],
  [
    /^tool\.decide\((.*?)\) on (call \d+)(?: by (.*?))?(?: after (\d+) ms)?$/,
    (what, call, by, ms) => `${later(ms)}${by || "Somebody"} decides about ${call}: ${what}.`,
  ],
  [/^timer\.due$/, () => "The timer of the session comes due."],
  [/^crash$/, () => "The process dies, and another one goes on from the stored session."],
  [/^commit: done$/, () => "The results are stored."],
  [/^run\.interrupt(.*)$/, (how) => `Somebody interrupts the turn${how}.`],
  [/^run\.shutdown$/, () => "The process is shut down."],
  [/^run\.steer$/, () => "A message is said into the turn."],
  [/^session\.edit$/, () => "Somebody edits the messages of the session."],
];

// the clock of a walk is its own: each jump of it is longer than the window of a rule
const later = (ms: string | undefined): string => (ms ? "After more time than a window of a rule: " : "");

/** Returns a step of a path as a sentence. */
export function sentenceOf(label: string): string {
  for (const [pattern, say] of PATTERNS) {
    const found = pattern.exec(label);
    if (found) return say(...found.slice(1).map((part) => part ?? ""));
  }
  return `${label}.`;
}
