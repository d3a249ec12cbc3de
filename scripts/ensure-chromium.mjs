/** Sees to it that the browser tests have a Chromium: installs Debian's if there is none and this is root. */
import { spawnSync } from "node:child_process";
import { findChromium } from "./find-chromium.mjs";

const { CHROME_PATH } = process.env;
if (CHROME_PATH && findChromium() !== CHROME_PATH)
  fail(`CHROME_PATH is ${CHROME_PATH}, but there is no such file.`);
if (!findChromium()) {
  const isDebian = spawnSync("apt-get", ["--version"]).status === 0;
  if (!isDebian || process.getuid?.() !== 0) {
    fail(
      'Run "apt-get install chromium" as root, or set CHROME_PATH to a Chromium or Chrome of this machine.',
    );
  }
  apt("update");
  apt("install", "--yes", "--no-install-recommends", "chromium");
  if (!findChromium()) fail("apt-get installed chromium, but there is no /usr/bin/chromium.");
}

function apt(...args) {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const { status } = spawnSync("apt-get", ["-qq", ...args], { stdio: "inherit", env });
  if (status !== 0) fail(`"apt-get ${args.join(" ")}" failed.`);
}

function fail(reason) {
  console.error(`The browser tests need a Chromium. ${reason}`);
  process.exit(1);
}
