import { readFile } from "node:fs/promises";
import { AgentError } from "../../core/base/error.ts";
import { isLoopback } from "../../server/authenticate.ts";
import { readTokens, type Token } from "../../server/tokens.ts";
import type { Environment } from "../terminal.ts";
import { UsageError } from "../usage-error.ts";

type TokenFlags = {
  readonly tokens: string | undefined;
  readonly insecureNoAuth: boolean;
  readonly host: string;
};

/** Returns the tokens of `--tokens` or AGENTCHART_TOKENS, or "none" for `--insecure-no-auth`. The latter is refused on a host that other
 *  machines can reach. Rejects with a {@link UsageError} without any of them, and with `config/invalid` for invalid tokens. */
export async function loadTokens(
  { tokens: file, insecureNoAuth, host }: TokenFlags,
  env: Environment,
): Promise<readonly Token[] | "none"> {
  if (insecureNoAuth) {
    if (file !== undefined) throw new UsageError("'--tokens' and '--insecure-no-auth' exclude each other.");
    if (!isLoopback(host))
      throw new UsageError(`'--insecure-no-auth' is for this machine only, not for --host ${host}.`);
    return "none";
  }
  if (file !== undefined) return parse(await read(file), file);
  const content = env["AGENTCHART_TOKENS"];
  if (content) return parse(content, "AGENTCHART_TOKENS");
  throw new UsageError(
    "Missing tokens: use --tokens FILE or AGENTCHART_TOKENS, or --insecure-no-auth to allow every request from this machine.",
  );
}

async function read(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    const { code = "failed" } = error as NodeJS.ErrnoException;
    throw new AgentError("config/invalid", `Cannot read ${file} (${code}): check --tokens.`, {
      cause: error,
    });
  }
}

/** The error of JSON.parse is dropped because its message quotes the tokens. */
function parse(text: string, source: string): readonly Token[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new AgentError("config/invalid", `${source} is not valid JSON.`);
  }
  return readTokens(value);
}
