import { setTimeout as sleep } from "node:timers/promises";
import type { Client, ClientOptions, ElicitResult, Tool, Transport } from "@modelcontextprotocol/client";
import { AgentError, messageOf } from "../../core/base/error.ts";
import { isObject, type Json, type JsonObject } from "../../core/base/json.ts";
import { delayOf } from "../../core/base/time.ts";
import type { Ask, Decision } from "../../core/tool/pending.ts";
import { HostAnswers, type SampleCounter } from "./host-answers.ts";
import { HELD_KEY, InFlight, InFlightCalls, NO_TIMEOUT, type CallWith, type Step } from "./in-flight.ts";
import { ListLimits, type Fault, type ToolList } from "./listed-tools.ts";
import { loadClient, type Loaded } from "./load-client.ts";
import { ResultMender, type Listing } from "./mend-result.ts";
import { toAsk, toElicitResult } from "./questions.ts";
import { isUnauthorized, SignIn } from "./sign-in.ts";
import { commandLine, safeError, transportTo, withoutSecrets } from "./transport.ts";
import type { McpEvent, McpOptions } from "./types.ts";

/** The pauses between the attempts to connect again, ms. */
const PAUSES_MS = [0, 500, 2_000, 8_000];
const MAX_PAGES = 64;
/** The maximum number of faults that are said of one list. */
const MAX_FAULTS = 1_000;
const STDERR_TAIL = 1_000;
/** The maximum time for which a legacy server is left with an open question: 10 min. */
const HELD_MS = 600_000;

/** The remedy for a list of tools that cannot be read. */
const UNLISTED =
  "Does its list keep to the protocol? Correct the server, or leave it out with `optional: true`.";

/** The remedy for a sign-in that failed. */
const REFUSED = "Are the credentials of `auth` right?";

/** A client and the end of its connection. */
type Live = { readonly client: Client; readonly lost: Promise<never> };

/** The tool that is called, as its server lists it. */
export type Called = Pick<Tool, "name" | "inputSchema">;

/** A request of a server, and the question to a person that it is. */
export type Asking = { readonly method: string; readonly params: unknown; readonly ask?: Ask };

/** Answers to what a server asked, and what it wants back with them. */
export type Answered = {
  readonly responses: { readonly [key: string]: Json };
  readonly requestState?: string;
  readonly held?: string;
  readonly visits?: true;
};

/** Accepts every result: what does not keep to its schema is a warning of ours and no failure. */
const acceptAll = {
  getValidator: () => (data: unknown) => ({ valid: true as const, data, errorMessage: undefined }),
} as NonNullable<ClientOptions["jsonSchemaValidator"]>;

const statusOf = (error: unknown): unknown =>
  (error as { readonly data?: { readonly status?: unknown } } | undefined)?.data?.status;

/** True for the answer of a server that does not know the session any more: nothing was run. */
const isUnknownSession = (error: unknown): boolean => {
  const status = statusOf(error);
  return status === 404 || (status === 400 && /session/i.test(messageOf(error)));
};

const MODES = { auto: "auto", legacy: "legacy", modern: { pin: "2026-07-28" } } as const;

/** The connection to one server, made again when it is lost. */
export class Connection {
  readonly #options: McpOptions;
  readonly #report: (type: McpEvent["type"], message: string) => void;
  #live: Promise<Live> | undefined;
  #stderr = "";
  #closed = false;
  readonly #calls: InFlightCalls;
  readonly #host: HostAnswers;
  readonly #signIn: SignIn;
  #transport: Transport | undefined;
  /** The faults of the list that is read, and the amount of it that has been read. */
  #listing = { faults: [] as Fault[], limits: new ListLimits() };
  #onTooLarge: (error: AgentError) => void = () => {};
  /** Whether the list of tools may have changed since it was read. */
  isStale = false;
  /** The connection that there is now. */
  #current: Live | undefined;

  constructor(options: McpOptions, report: (type: McpEvent["type"], message: string) => void) {
    this.#options = options;
    this.#report = report;
    this.#calls = new InFlightCalls(options.heldMs ?? HELD_MS, report);
    this.#host = new HostAnswers(options, () => this.label);
    this.#signIn = new SignIn(options.auth, () => this.label);
  }

  /** Whether questions of the server are for a person, who answers them while the turn rests. */
  get asksPeople(): boolean {
    return (this.#options.elicitation ?? "suspend") === "suspend";
  }

  /** Answers a request of the server without a person who decides about the call. */
  async answer(request: Asking, signal: AbortSignal, counter: SampleCounter): Promise<Json> {
    const { method, params, ask } = request;
    const given = ask
      ? await this.#elicit(ask, signal)
      : await this.#host.answer(method, params, signal, counter);
    return given as unknown as Json;
  }

  async #elicit(ask: Ask, signal: AbortSignal): Promise<ElicitResult> {
    const { elicitation } = this.#options;
    if (typeof elicitation !== "function") return { action: "decline" };
    return toElicitResult(await elicitation(ask, { signal }), ask.kind);
  }

  /** The name of the server in errors. */
  get label(): string {
    const { name, url } = this.#options;
    return name ?? (url === undefined ? commandLine(this.#options) : new URL(url).host);
  }

  /** The page that a person must visit before the server answers. */
  get signInPage(): SignIn["page"] {
    return this.#signIn.page;
  }

  /** Ends a sign-in with the answer of a person. Throws `tool/failed` if nobody is signed in by it. */
  async finishSignIn(state: string, answer: Decision | undefined): Promise<void> {
    const loaded = await loadClient();
    await this.#signIn.finish(loaded, this.#transport ?? this.#makeTransport(loaded), state, answer);
  }

  /** Lends the client. No error of `work` says a secret, or what an authorization server wrote. */
  async use<T>(work: (client: Client) => Promise<T>): Promise<T> {
    const { client, lost } = await this.connect();
    try {
      return await Promise.race([work(client), lost]);
    } catch (error) {
      throw safeError(this.#signIn.safe(await loadClient(), error), this.#options);
    }
  }

  /** Connects once. Rejects with an error that says what to do. */
  connect(): Promise<Live> {
    if (this.#closed)
      throw new AgentError("tool/failed", `The connection to the MCP server '${this.label}' is closed.`);
    this.#live ??= this.#open().catch((error: unknown) => {
      this.#live = undefined;
      throw error;
    });
    return this.#live;
  }

  /** Reads the list of tools, one reader at a time. Throws `tool/failed` for a server that has nothing to offer. */
  async tools(signal?: AbortSignal): Promise<ToolList> {
    const { client, lost } = await this.connect();
    this.isStale = false;
    const { tools: hasTools, resources, prompts } = client.getServerCapabilities() ?? {};
    if (!hasTools) {
      const message = "The server has no tools: it does not say that it has the capability `tools`.";
      if (resources || prompts) return { tools: [], faults: [{ type: "warning", message }] };
      throw this.#unreachable(new Error(message), "has nothing to offer", UNLISTED);
    }
    const timeout = delayOf(this.#options.initTimeoutMs ?? 30_000);
    const { faults } = (this.#listing = { faults: [], limits: new ListLimits() });
    try {
      const list = client.listTools(undefined, { timeout, cacheMode: "refresh", ...(signal && { signal }) });
      const { tools } = await Promise.race([list, lost]);
      return { tools, faults };
    } catch (error) {
      throw this.#unreachable(error, "does not list its tools", UNLISTED);
    }
  }

  /** Makes a call, or goes on with one whose server has been answered. */
  async call(tool: Called, input: JsonObject, how: CallWith, answered?: Answered): Promise<Step> {
    if (answered?.visits) {
      const isVisited = (answer: Json): boolean => isObject(answer) && answer["action"] === "accept";
      if (Object.values(answered.responses).every(isVisited)) return this.call(tool, input, how);
      const text = `The MCP server '${this.label}' wants a page to be visited before the call, and nobody did.`;
      throw new AgentError("tool/failed", text);
    }
    const held = answered?.held;
    if (held !== undefined) {
      const call = this.#calls.answer(held, answered!.responses[HELD_KEY] as ElicitResult);
      if (call) return call.next(how);
      if (!how.isIdempotent)
        throw new AgentError(
          "tool/outcome-unknown",
          `The MCP server '${this.label}' asked in another process, or too long ago: the call may have taken effect.`,
        );
    }
    const again = held === undefined ? answered : undefined;
    const live = await this.#reconnect(how.signal);
    try {
      return await this.#send(live, tool, input, how, again);
    } catch (error) {
      if (!isUnknownSession(error)) throw this.#signIn.safe(await loadClient(), error);
      await this.#drop(live, "the server does not know the session any more"); // it has not run the call
      return this.#send(await this.#reconnect(how.signal), tool, input, how, again);
    }
  }

  /** The error of a server that is not ready in time, with what to do about it. */
  lateError(): AgentError {
    const cause = new Error("Request timed out");
    return this.isConnected
      ? this.#unreachable(cause, "does not list its tools", UNLISTED)
      : this.#unreachable(cause);
  }

  /** Ends the connection that there is, or that is being made. */
  async abandon(): Promise<void> {
    const live = await this.#settled();
    if (live) await this.#drop(live, "it is not used");
  }

  /** Ends a connection that is still being made, or returns the one that there is. */
  async #settled(): Promise<Live | undefined> {
    if (!this.isConnected) void this.#transport?.close().catch(() => {});
    return this.#live?.catch(() => undefined);
  }

  get isConnected(): boolean {
    return this.#current !== undefined;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  async close(): Promise<void> {
    this.#closed = true;
    const live = await this.#settled();
    this.#current = this.#live = undefined;
    await live?.client.close();
  }

  #send(
    { client, lost }: Live,
    { name, inputSchema }: Called,
    input: JsonObject,
    how: CallWith,
    answered?: Answered,
  ): Promise<Step> {
    const params = {
      name,
      arguments: input,
      ...(how.traceparent !== undefined && { _meta: { traceparent: how.traceparent } }),
      ...(answered && { inputResponses: answered.responses }),
      ...(answered?.requestState !== undefined && { requestState: answered.requestState }),
    };
    const send = (signal: AbortSignal) =>
      client.callTool(params as never, {
        signal,
        timeout: NO_TIMEOUT, // a call may be held while a person is asked
        allowInputRequired: true,
        toolDefinition: { name, inputSchema }, // without an output schema, which a question would not keep to
        onprogress: ({ message, progress, total }) =>
          how.onProgress(message ?? (total === undefined ? `${progress}` : `${progress}/${total}`)),
      });
    return this.#calls.add(new InFlight(send, lost)).next(how);
  }

  /** Connects if the connection was lost, in at most three further attempts. */
  async #reconnect(signal: AbortSignal): Promise<Live> {
    for (const [at, pause] of PAUSES_MS.entries()) {
      if (pause > 0) await sleep(pause, undefined, { signal });
      try {
        return await this.connect();
      } catch (error) {
        if (this.#closed || isUnauthorized(error) || at === PAUSES_MS.length - 1) throw error;
      }
    }
    throw new AgentError("tool/failed", `The MCP server '${this.label}' cannot be reached.`);
  }

  async #drop(live: Live, reason: string): Promise<void> {
    this.#forget(live, reason);
    await live.client.close().catch(() => {});
  }

  /** Forgets a connection unless that is done: while it ends, another one may have taken its place. */
  #forget(live: Live, reason: string): void {
    if (this.#current !== live) return;
    this.#current = this.#live = undefined;
    this.#report("disconnected", reason);
  }

  async #open(): Promise<Live> {
    const loaded = await loadClient();
    const {
      command,
      initTimeoutMs = 30_000,
      era = command === undefined ? "auto" : "legacy",
    } = this.#options;
    const client = new loaded.Client(
      { name: "agentchart", version: "1" },
      {
        jsonSchemaValidator: acceptAll,
        listMaxPages: MAX_PAGES,
        versionNegotiation: { mode: MODES[era] },
        inputRequired: { autoFulfill: false },
        capabilities: { elicitation: { form: {}, url: {} }, ...this.#host.capabilities },
        listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => this.#toolsChanged() } },
      },
    );
    client.setNotificationHandler("notifications/message", ({ params }) =>
      this.#report("log", typeof params.data === "string" ? params.data : JSON.stringify(params.data)),
    );
    client.setRequestHandler("elicitation/create", ({ params }, { mcpReq: { signal } }) =>
      this.asksPeople ? this.#calls.ask(params, signal) : this.#elicit(toAsk(HELD_KEY, 0, params), signal),
    );
    const { sampling, roots } = this.#options;
    if (roots) client.setRequestHandler("roots/list", () => this.#host.roots());
    if (sampling)
      client.setRequestHandler("sampling/createMessage", ({ params }, { mcpReq: { signal } }) =>
        this.#host.sample(params, signal, this.#calls.running[0] ?? { samples: Number.POSITIVE_INFINITY }),
      );
    const { promise: lost, reject } = Promise.withResolvers<never>();
    lost.catch(() => {}); // without a call in flight nobody waits for it
    const live = { client, lost };
    try {
      this.#stderr = "";
      this.#transport = this.#makeTransport(loaded);
      const isModern = (): boolean => client.getProtocolEra() === "modern";
      new ResultMender(isModern, () => this.#listed()).watch(this.#transport);
      await client.connect(this.#transport, { timeout: delayOf(initTimeoutMs) });
    } catch (error) {
      await client.close().catch(() => {});
      const safe = this.#signIn.safe(loaded, error);
      throw this.#unreachable(safe, undefined, safe === error ? undefined : REFUSED);
    }
    const end = (reason: string) => {
      if (this.#closed) return reject(new Error("closed"));
      reject(new Error(`Connection lost: ${reason}`));
      this.#forget(live, reason);
    };
    this.#onTooLarge = (error) => {
      reject(error); // before the end of the connection gives another reason
      end(error.message);
      void client.close().catch(() => {});
    };
    Object.assign(client, {
      onclose: () => end("the server ended it"),
      onerror: (error: Error) => {
        if (!/Maximum reconnection attempts/.test(error.message)) return;
        end(error.message);
        void client.close().catch(() => {});
      },
    } satisfies Pick<Client, "onclose" | "onerror">);
    return (this.#current = live);
  }

  #makeTransport(loaded: Loaded): Transport {
    const onStderr = (text: string): void => {
      this.#stderr = (this.#stderr + text).slice(-4 * STDERR_TAIL);
    };
    const onTooLarge = (error: AgentError): void => this.#onTooLarge(error);
    return transportTo(loaded, this.#options, onStderr, onTooLarge, this.#signIn.provider);
  }

  #listed(): Listing {
    const { faults, limits } = this.#listing;
    const note = (fault: Fault): void => {
      if (faults.length < MAX_FAULTS) faults.push(fault);
    };
    return { note, limits };
  }

  #toolsChanged(): void {
    this.isStale = true;
    this.#report("tools-changed", "The server has other tools now.");
  }

  #unreachable(cause: unknown, problem = "cannot be connected to", instead?: string): AgentError {
    const { url } = this.#options;
    const wrote = withoutSecrets(this.#stderr, this.#options).trim().slice(-STDERR_TAIL);
    const said = wrote === "" ? "" : ` It wrote: ${wrote}`;
    const advice = isUnauthorized(cause)
      ? "It needs a sign-in: give a token in `headers`, such as authorization, or an OAuth provider as `auth`."
      : (instead ??
        (url === undefined
          ? `Does the command run in a terminal: ${commandLine(this.#options)}?`
          : `Is a server running at ${new URL(url).origin}, and are its \`headers\` right?`));
    const message = `The MCP server '${this.label}' ${problem}: ${messageOf(cause)}. ${advice}${said}`;
    const error = new AgentError("tool/failed", message, { cause, isRetryable: true });
    return safeError(error, this.#options) as AgentError;
  }
}
