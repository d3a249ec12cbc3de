/** The oldest release that `engines` of package.json allows. */
const MINIMUM = { major: 22, minor: 18 };

/** Returns one line that says which Node.js is needed, or undefined if this one is new enough. Bun and Deno are not checked. */
export function nodeVersionProblem({
  versions,
  execPath,
}: Pick<NodeJS.Process, "versions" | "execPath">): string | undefined {
  if (versions["bun"] || versions["deno"]) return undefined;
  const [major = 0, minor = 0] = versions.node.split(".").map(Number);
  if (major > MINIMUM.major || (major === MINIMUM.major && minor >= MINIMUM.minor)) return undefined;
  const needed = `agentchart needs Node.js >= ${MINIMUM.major}.${MINIMUM.minor}`;
  return `${needed}; this is v${versions.node} (${execPath}). Install Node.js 24.`;
}
