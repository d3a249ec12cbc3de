import { existsSync } from "node:fs";

/** Where a Chromium for the browser tests is: CHROME_PATH, else Debian's. Undefined if there is none. */
export function findChromium() {
  const { CHROME_PATH } = process.env;
  return [CHROME_PATH, "/usr/bin/chromium"].find((path) => path && existsSync(path));
}
