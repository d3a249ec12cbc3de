import type { AuthProvider, OAuthClientProvider } from "@modelcontextprotocol/client";
import type { MediaBlock, TextBlock } from "../../core/message/types.ts";
import type { JsonObject } from "../../core/base/json.ts";
import type { ChatModel } from "../../core/model/port.ts";
import type { Ask, Decision } from "../../core/tool/pending.ts";
import type { PermissionAction, Tool, AnyToolkit } from "../../core/tool/types.ts";

/** The event that {@link McpOptions.onEvent} is told. `left-out`: a tool is not offered, or the whole server (`optional`). `warning`:
 *  something was cut, or does not keep to its schema. `disconnected`: the connection was lost; the next call connects again.
 *  `tools-changed`: the server has other tools now. `log`: the server's own words. */
export type McpEvent = {
  readonly type: "left-out" | "warning" | "disconnected" | "tools-changed" | "log";
  /** The name of the server. */
  readonly server: string;
  readonly message: string;
  /** The tool that it is about, as the server calls it. */
  readonly tool?: string | undefined;
};

/** Headers of a request, by name. */
export type McpHeaders = { readonly [name: string]: string };

/** Answers a question of a server, as `decide` would. */
export type McpElicitation = (
  ask: Ask,
  options: { readonly signal: AbortSignal },
) => Decision | Promise<Decision>;

/** Options of {@link mcp}. Either `command` or `url`. */
export type McpOptions = {
  /** The name of the server in errors and events, and the prefix of its tools; default: the server's own name for itself. */
  readonly name?: string | undefined;
  /** The program that is the server: it is started, and spoken to over its standard input and output. */
  readonly command?: string | undefined;
  readonly args?: readonly string[] | undefined;
  /** Its variables, besides `PATH`, `HOME` and few others; it does not get those of this process. */
  readonly env?: { readonly [name: string]: string } | undefined;
  readonly cwd?: string | undefined;
  /** Receives each line that the program writes on standard error. */
  readonly stderr?: ((line: string) => void) | undefined;
  /** The address of a server that runs already. */
  readonly url?: string | undefined;
  /** Headers of every request, such as `authorization`; a function is asked for them at each request, such as for a token that expires. */
  readonly headers?: McpHeaders | (() => McpHeaders | Promise<McpHeaders>) | undefined;
  /** Signs requests in: an `AuthProvider`, such as for tokens that are renewed, or an `OAuthClientProvider` of `@modelcontextprotocol/client`. If
   *  that one has no token that counts, a call rests until a person has visited the page and `decide` has got the query with which the
   *  browser came back. It keeps what it is told (`saveTokens`, `saveCodeVerifier`, `saveDiscoveryState`): the answer may come to another process. */
  readonly auth?: AuthProvider | OAuthClientProvider | undefined;
  /** `http` (default) is Streamable HTTP; `sse` its predecessor. */
  readonly transport?: "http" | "sse" | undefined;
  /** `legacy`: revisions up to 2025-11-25. `modern`: 2026-07-28. `auto` asks the server which it speaks. Default `auto` for a URL, else `legacy`. */
  readonly era?: "auto" | "legacy" | "modern" | undefined;
  /** The prefix of the names of the tools; default the name and `__`. False: nothing. */
  readonly prefix?: string | false | undefined;
  /** True: what the server says of its tools is believed, so that calls of idempotent tools are repeated. Default false. */
  readonly trust?: boolean | undefined;
  /** If the server cannot be reached, true returns a server without tools and reports `left-out`; default false rejects. */
  readonly optional?: boolean | undefined;
  /** The time at which agents take other tools that the server says it has: `nextTurn` (default), or never. */
  readonly toolsChanged?: "nextTurn" | "ignore" | undefined;
  /** The maximum time of `mcp`, the reading of the list included; default 30,000. */
  readonly initTimeoutMs?: number | undefined;
  /** The maximum time of a call; default 120,000. */
  readonly timeoutMs?: number | undefined;
  /** The maximum time that a call may go without progress; default no limit. */
  readonly idleTimeoutMs?: number | undefined;
  /** The handling of a question that the server asks a person while a call runs. `suspend` (default): the turn rests until it is answered
   *  with `decide`. A modern server is answered by any process, at any time; a legacy one only by this process, within `heldMs`, and only
   *  if no other call runs. `decline`: nobody answers. A function answers in place of a person. */
  readonly elicitation?: "suspend" | "decline" | McpElicitation | undefined;
  /** Lets the server ask a model while a call runs. It sees what the server sends and no conversation. Default: it may not. */
  readonly sampling?:
    | {
        readonly model: ChatModel;
        /** The most tokens of an answer; default 1,000. */
        readonly maxTokens?: number | undefined;
        /** The maximum number of times that one call may ask; default 5. A call that asks more often fails. */
        readonly maxCalls?: number | undefined;
      }
    | undefined;
  /** The folders that the server is told about, which is not a limit to what it does. Default: it is told none. */
  readonly roots?: readonly string[] | undefined;
  /** The time for which a legacy server is left with an open question, which is cancelled then; default 600,000. */
  readonly heldMs?: number | undefined;
  /** The size of the largest result, in bytes; default 10,000,000. */
  readonly maxResultBytes?: number | undefined;
  readonly onEvent?: ((event: McpEvent) => void) | undefined;
};

/** Options of `tools` of {@link McpServer}. Tools have the names that the server gave them. */
export type McpToolOptions = {
  /** These and no others. */
  readonly only?: readonly string[] | undefined;
  /** All but these. */
  readonly except?: readonly string[] | undefined;
  /** Other names for tools; the prefix stays. */
  readonly rename?: { readonly [tool: string]: string } | undefined;
  /** Values of arguments, by tool: they win over the model's, and the model does not see them. */
  readonly preset?: { readonly [tool: string]: JsonObject } | undefined;
  /** For all of them; default `ask` for tools that say that they destroy something. */
  readonly permission?: PermissionAction | undefined;
  /** As in `defineTool`. */
  readonly deferred?: boolean | undefined;
};

/** Whether a server can be called. `disconnected`: the next call connects again. `signed-out`: it has one tool, which signs in.
 *  `left-out`: it could not be reached when it was opened, and has no tools. */
export type McpStatus = "connected" | "disconnected" | "signed-out" | "left-out" | "closed";

/** Something that a server lets its clients read. */
export type McpResource = {
  readonly uri: string;
  readonly name: string;
  readonly description?: string | undefined;
  readonly mimeType?: string | undefined;
};

/** A template of messages that a server has. */
export type McpPrompt = {
  readonly name: string;
  readonly description?: string | undefined;
  readonly arguments: readonly { readonly name: string; readonly required: boolean }[];
};

/** A connected server. */
export interface McpServer {
  readonly name: string;
  /** The statement of the server about itself. It is not trusted: put it into a prompt only if you trust the server. */
  readonly instructions: string | undefined;
  /** Whether it can be called now. */
  readonly status: McpStatus;
  /** Returns the tools that the server has now. If it has others later, an agent takes them when its next turn begins, and what a person
   *  approved for all later calls of a changed tool is asked again. Throws `config/invalid` for the name of a tool that it does not have, and for
   *  a preset that does not fit. */
  tools(options?: McpToolOptions): Tool[];
  /** Gives a toolkit with tools of this server, made by `createToolkit`, those that the server has now, chosen by the same options. Agents
   *  need not call it: they do so when a turn begins. Returns whether anything changed. */
  updateTools(toolkit: AnyToolkit): Promise<boolean>;
  /** Returns the server's resources, at most 1,000. Rejects if the server cannot be reached. */
  resources(): Promise<McpResource[]>;
  /** Reads a resource: text with its address, or media. Rejects `tool/failed` if it is larger than `maxResultBytes`. */
  readResource(uri: string): Promise<readonly (TextBlock | MediaBlock)[]>;
  /** Returns two tools, `list_resources` and `read_resource`, with the prefix of the server. */
  resourceTools(): Tool[];
  /** Returns the server's prompts, at most 1,000. Rejects if the server cannot be reached. */
  prompts(): Promise<McpPrompt[]>;
  /** Ends the connection, and the program that was started. Calls fail from then on. */
  close(): Promise<void>;
}
