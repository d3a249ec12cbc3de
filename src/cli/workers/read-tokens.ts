import { readFile } from "node:fs/promises";
import { AgentError } from "../../base/error.ts";
import { isLoopback } from "../../server/authenticate.ts";
import { readTokens, type Token } from "../../server/tokens.ts";
import type { GivenFlags } from "../read-flags.ts";
import type { Environment } from "../terminal.ts";
import { UsageError } from "../usage-error.ts";

/** The tokens of `--tokens` or AGENTCHART_TOKENS; "none" for `--insecure-no-auth`, on this machine only. Throws a
 *  {@link UsageError} if it is not said who may ask, and `config/invalid` for what are no tokens. */
export async function tokensOf(
  flags: GivenFlags,
  env: Environment,
  host: string,
): Promise<readonly Token[] | "none"> {
  const [file, text] = [flags.text("tokens"), env["AGENTCHART_TOKENS"]];
  if (flags.has("insecure-no-auth")) {
    if (file !== undefined) throw new UsageError('Either "--tokens" or "--insecure-no-auth".');
    if (!isLoopback(host))
      throw new UsageError(`"--insecure-no-auth" is for this machine only, not for --host ${host}.`);
    return "none";
  }
  if (file !== undefined) return parsed(await contentOf(file), file);
  if (text) return parsed(text, "AGENTCHART_TOKENS");
  throw new UsageError(
    "Who may ask? Say --tokens FILE or set AGENTCHART_TOKENS; on this machine only, --insecure-no-auth lets everybody.",
  );
}

async function contentOf(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    const { code = "it cannot be read" } = error as NodeJS.ErrnoException;
    throw new AgentError("config/invalid", `${file} cannot be read (${code}): check --tokens.`, {
      cause: error,
    });
  }
}

/** What JSON.parse says would quote the tokens. */
function parsed(text: string, from: string): readonly Token[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new AgentError("config/invalid", `${from} is no JSON.`);
  }
  return readTokens(value);
}
