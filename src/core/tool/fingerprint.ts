/** The fingerprint of an agent, as hashes: of its system prompt, of its permissions, and of the definition of each tool. */
export type Fingerprint = {
  readonly prompt: string;
  readonly permissions: string;
  readonly tools: { readonly [name: string]: string };
};

/** The differences between two agents. */
export type AgentChange = {
  readonly prompt: boolean;
  readonly permissions: boolean;
  /** The tools with another definition, those that only the new agent has, and those that only the old one had, by name. */
  readonly changed: readonly string[];
  readonly added: readonly string[];
  readonly gone: readonly string[];
};

/** Returns what differs; undefined if nothing does. */
export function changeBetween(old: Fingerprint, now: Fingerprint): AgentChange | undefined {
  const prompt = old.prompt !== now.prompt;
  const permissions = old.permissions !== now.permissions;
  const gone = Object.keys(old.tools).filter((name) => !Object.hasOwn(now.tools, name));
  const added = Object.keys(now.tools).filter((name) => !Object.hasOwn(old.tools, name));
  const changed = Object.entries(now.tools)
    .filter(([name, hash]) => Object.hasOwn(old.tools, name) && old.tools[name] !== hash)
    .map(([name]) => name);
  const isSame = !prompt && !permissions && gone.length + added.length + changed.length === 0;
  return isSame ? undefined : { prompt, permissions, changed, added, gone };
}

/** Returns a change in words, such as "its prompt, tool 'pay'". */
export function describeChange({ prompt, permissions, changed, added, gone }: AgentChange): string {
  const parts = [
    ...(prompt ? ["its prompt"] : []),
    ...(permissions ? ["its permissions"] : []),
    ...changed.map((name) => `tool '${name}'`),
    ...added.map((name) => `new tool '${name}'`),
    ...gone.map((name) => `no tool '${name}'`),
  ];
  return parts.join(", ");
}
