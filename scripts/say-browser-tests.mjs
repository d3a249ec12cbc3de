/** The last line of `npm test`: what it did not run. */
import { findChromium } from "./find-chromium.mjs";

const browser = findChromium();
console.log(
  `\nThe browser tests were skipped: "npm run test:e2e" runs them ${browser ? `in ${browser}` : "and says how to get a Chromium; there is none here"}.`,
);
