import type { AuthProvider, OAuthClientProvider } from "@modelcontextprotocol/client";
import { configError } from "../../core/base/error.ts";
import * as s from "../../core/base/option-schema.ts";
import { check } from "../../core/base/options.ts";
import type { ChatModel } from "../../core/model/port.ts";
import { permissionSchema } from "../../core/tool/tool-schema.ts";
import type { McpElicitation, McpEvent, McpHeaders, McpOptions, McpToolOptions } from "./types.ts";

/** The schema of {@link McpOptions}. */
export const mcpSchema = s.lazily(() =>
  s.options<McpOptions>({
    name: s.optional(s.matching(/^[\w-]{1,40}$/, '1 to 40 letters, digits, "_" or "-"')),
    command: s.optional(s.nonEmpty()),
    args: s.optional(s.listOf(s.string())),
    env: s.optional(s.recordOf(s.secret())),
    cwd: s.optional(s.nonEmpty()),
    stderr: s.optional(s.func<(line: string) => void>()),
    url: s.optional(
      s.value<string>(
        (url) => typeof url === "string" && /^https?:$/.test(URL.parse(url)?.protocol ?? ""),
        "an http or https URL",
      ),
    ),
    headers: s.optional(
      s.either(
        s.recordOf(s.secret()),
        s.func<() => McpHeaders | Promise<McpHeaders>>(),
        "an object of strings or a function",
      ),
    ),
    auth: s.optional(
      s.either(
        s.having<AuthProvider>("token", "an AuthProvider"),
        s.having<OAuthClientProvider>("tokens", "an OAuthClientProvider"),
        "an AuthProvider or an OAuthClientProvider of @modelcontextprotocol/client",
      ),
    ),
    transport: s.optional(s.oneOf("http", "sse")),
    era: s.optional(s.oneOf("auto", "legacy", "modern")),
    prefix: s.optional(s.either(s.string(), s.exactly(false), "a string or false")),
    trust: s.optional(s.boolean()),
    optional: s.optional(s.boolean()),
    toolsChanged: s.optional(s.oneOf("nextTurn", "ignore")),
    initTimeoutMs: s.optional(s.integer(1)),
    timeoutMs: s.optional(s.integer(1)),
    idleTimeoutMs: s.optional(s.integer(1)),
    elicitation: s.optional(
      s.either(s.oneOf("suspend", "decline"), s.func<McpElicitation>(), '"suspend", "decline" or a function'),
    ),
    sampling: s.optional(
      s.options<NonNullable<McpOptions["sampling"]>>({
        model: s.having<ChatModel>("stream", "a ChatModel"),
        maxTokens: s.optional(s.integer(1)),
        maxCalls: s.optional(s.integer(0)),
      }),
    ),
    roots: s.optional(s.listOf(s.nonEmpty("the path of a folder"))),
    heldMs: s.optional(s.integer(1, 2 ** 31 - 1)),
    maxResultBytes: s.optional(s.integer(1)),
    onEvent: s.optional(s.func<(event: McpEvent) => void>()),
  }),
);

/** The schema of {@link McpToolOptions}. */
export const mcpToolsSchema = s.lazily(() =>
  s.options<McpToolOptions>({
    only: s.optional(s.listOf(s.string())),
    except: s.optional(s.listOf(s.string())),
    rename: s.optional(s.recordOf(s.nonEmpty())),
    preset: s.optional(s.recordOf(s.object())),
    permission: s.optional(permissionSchema()),
    deferred: s.optional(s.boolean()),
  }),
);

/** Throws `config/invalid` unless the options name one server in one way. */
export function checkMcp(options: McpOptions): void {
  check(mcpSchema(), options, "mcp");
  const { command, url } = options;
  if ((command === undefined) === (url === undefined))
    throw configError("mcp: give `command` (a program) or `url` (an address), and not both.");
  const others =
    command === undefined
      ? (["args", "env", "cwd", "stderr"] as const)
      : (["headers", "auth", "transport"] as const);
  const wrong = others.find((name) => options[name] !== undefined);
  if (wrong !== undefined)
    throw configError(`mcp: \`${wrong}\` goes with \`${command === undefined ? "command" : "url"}\` only.`);
}
