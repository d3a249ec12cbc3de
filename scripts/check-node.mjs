/**
 * Runs before every script of the project and stops it on a Node that is too old. Plain old JavaScript on
 * purpose: it must run, and explain itself, on the Node that it refuses.
 */
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  console.error(
    `This project runs on Node >= 22.18, but this is ${process.version} (${process.execPath}).\n` +
      `"npm ci" normally brings Node 24 along as an optional dependency, for "npm run" to use; it is missing here.\n` +
      `Run "npm ci --include=optional" again, or install Node 24.`,
  );
  process.exit(1);
}
