import { type AgentError, configError } from "../../core/base/error.ts";
import { isObject } from "../../core/base/json.ts";

/** The maximum number of sample prompts of an agent. */
const MAX_PROMPTS = 6;
/** The maximum length of a description and of a prompt, in characters. */
const MAX_LENGTH = 500;

/** The words of an agents' file about an agent, for people who chat with it. */
export type AboutAgent = {
  /** A sentence that says what the agent is for. */
  readonly description?: string;
  /** Messages to begin with. */
  readonly prompts?: readonly string[];
};

/** The words about agents, by their names. */
export type AboutAgents = { readonly [agent: string]: AboutAgent };

/** Returns the export `about` of an agents' file. Throws `config/invalid` for one of another shape, and for a name that is not that of
 *  an agent. */
export function aboutAgents(about: unknown, agents: readonly string[], file: string): AboutAgents {
  if (about === undefined) return {};
  const wrong = (what: string): AgentError => configError(`about in ${file}: ${what}`);
  const expected = "expected { agent: { description, prompts } }";
  if (!isObject(about)) throw wrong(`${expected}.`);
  for (const [name, words] of Object.entries(about)) {
    if (!agents.includes(name))
      throw wrong(`"${name}" is not an agent of the file. Its agents: ${agents.join(", ")}.`);
    if (!isObject(words)) throw wrong(`"${name}": ${expected}.`);
    const { description, prompts = [], ...others } = words;
    const [other] = Object.keys(others);
    if (other !== undefined) throw wrong(`"${name}": unknown field "${other}"; ${expected}.`);
    if (description !== undefined && !isShort(description))
      throw wrong(`"${name}": \`description\` must be a text of at most ${MAX_LENGTH} characters.`);
    if (!Array.isArray(prompts) || prompts.length > MAX_PROMPTS || !prompts.every(isShort))
      throw wrong(
        `"${name}": \`prompts\` must be at most ${MAX_PROMPTS} texts of at most ${MAX_LENGTH} characters.`,
      );
  }
  return about as AboutAgents;
}

const isShort = (text: unknown): boolean =>
  typeof text === "string" && text.trim() !== "" && text.length <= MAX_LENGTH;
