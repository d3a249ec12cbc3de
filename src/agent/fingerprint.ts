import { perObject, type Json } from "../core/base/json.ts";
import { sha256 } from "../core/base/hash.ts";
import type { AnyTool } from "../core/tool/types.ts";
import type { Fingerprint } from "../core/tool/fingerprint.ts";
import type { AnyAgentConfig } from "./options/agent-config.ts";

type Config = Pick<AnyAgentConfig, "sysPrompt" | "permissions" | "personas">;

/** Long enough to tell the releases of one agent apart. */
const HASH_LENGTH = 12;

const hashOf = (value: Json): string => sha256(JSON.stringify(value)).slice(0, HASH_LENGTH);

/** As {@link hashOf}; the hash of the text before is cached, since agents are often made of the same configuration. */
let lastText = { text: "", hash: hashOf("") };

function textHash(text: string): string {
  if (lastText.text !== text) lastText = { text, hash: hashOf(text) };
  return lastText.hash;
}

/** Of a function it counts only that it is one: its text says little about what it does. */
const toolHash = perObject((tool: AnyTool): string => {
  const { description, inputSchema, external, permission = null } = tool;
  const own = typeof permission === "function" ? "function" : permission;
  return hashOf([description, inputSchema, external, own]);
});

const NO_PERMISSIONS = {};
let hashOfNone: string | undefined;

function permissionsHash(permissions: NonNullable<Config["permissions"]>): string {
  return permissions === NO_PERMISSIONS ? (hashOfNone ??= hashOfRules({})) : hashOfRules(permissions);
}

function hashOfRules({ rules = [], otherwise = "allow" }: NonNullable<Config["permissions"]>): string {
  return hashOf([rules.map(({ tool, action, when }) => [tool, action, when !== undefined]), otherwise]);
}

/** Returns the fingerprint of an agent with these tools. */
export function fingerprintOf(
  { sysPrompt = "", permissions = NO_PERMISSIONS, personas }: Config,
  tools: readonly AnyTool[],
): Fingerprint {
  const others = Object.entries(personas ?? {});
  const prompts = others.map(([name, persona]) => [name, persona.sysPrompt ?? ""]);
  const more = others.map(([name, persona]) => [
    name,
    permissionsHash(persona.permissions ?? NO_PERMISSIONS),
  ]);
  return {
    prompt: personas ? hashOf([sysPrompt, prompts]) : textHash(sysPrompt),
    permissions: personas ? hashOf([permissionsHash(permissions), more]) : permissionsHash(permissions),
    tools: Object.fromEntries(tools.map((tool) => [tool.name, toolHash(tool)])),
  };
}
