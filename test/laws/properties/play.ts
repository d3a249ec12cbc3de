import { setImmediate as tick } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import {
  AgentError,
  createAgent,
  toolResultMsg,
  toolResultsOf,
  toolUsesOf,
  userMsg,
  type Agent,
  type AgentConfig,
  type AgentEvent,
  type ModelRequest,
  type Msg,
  type PendingCall,
  type Snapshot,
} from "agentchart";
import { eventsProblem } from "../../support/paired-events.ts";
import { historyProblem } from "../../support/history.ts";
import { hooksOf, limitsOf, modelOf, toolsOf } from "./actors.ts";
import type { Disturbance, Scenario, Step } from "./scenario.ts";
import { layered } from "../../support/layered.ts";

/** What can go wrong with a session. */
export type Problem = {
  readonly kind: "history" | "end" | "events" | "again" | "json" | "error";
  readonly text: string;
};

/** How long a call may take, in ms; the slowest thing a scenario can do takes about 20 where nothing else runs. */
const LONG = 15_000;

const SCHEMA = { type: "object", properties: { city: { type: "string" } }, required: ["city"] } as const;

const json = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

/** The calls of the last batch that have no result yet. */
function openIn(messages: readonly Msg[]): ReadonlySet<string> {
  const asking = messages.findLast((message) => toolUsesOf(message).length > 0);
  const answered = new Set(messages.flatMap(toolResultsOf).map(({ id }) => id));
  return new Set(asking ? toolUsesOf(asking).flatMap(({ id }) => (answered.has(id) ? [] : [id])) : []);
}

/** How else a session is played. */
export type PlayOptions = {
  /** Sees what its models are asked. */
  readonly onRequest?: (request: ModelRequest) => void;
  /** Sees its agent before it is called. */
  readonly onAgent?: (agent: Agent) => void;
  /** More of its configuration. With a store, snapshots are not checked. */
  readonly config?: Partial<AgentConfig>;
};

/** One session played to its end, with everything that is wrong about it. */
class Session {
  readonly problems: Problem[] = [];
  readonly #scenario: Scenario;
  readonly #config: AgentConfig;
  readonly #onAgent: PlayOptions["onAgent"];
  readonly #finished = new Set<string>();
  readonly #seen = new Map<string, number>();
  #agent: Agent;
  #events: AgentEvent[] = [];
  #startedBefore: ReadonlySet<string> = new Set();
  #said = 0;
  #isOver = false;
  #abort = new AbortController();
  #crashed: (() => void) | undefined;

  constructor(scenario: Scenario, { onRequest, onAgent, config }: PlayOptions) {
    this.#scenario = scenario;
    this.#onAgent = onAgent;
    const asked = (where: string) => (request: ModelRequest) => {
      onRequest?.(request);
      const problem = historyProblem(request.messages);
      if (problem) this.#wrong("history", `${where}: ${problem}`);
    };
    const own: AgentConfig = {
      name: "bot",
      sysPrompt: "sys",
      sessionId: "s",
      model: modelOf(scenario.turns, asked("the model is asked")),
      ...(scenario.hasFallback && {
        modelOptions: { fallbackModel: modelOf([], asked("the fallback is asked")) },
      }),
      tools: toolsOf((callId) => {
        if (this.#finished.has(callId)) this.#wrong("again", `call ${callId} has a result and runs again`);
      }),
      hooks: hooksOf(scenario.hooks, () => void this.#agent.interrupt()),
    };
    this.#config = layered(layered(own, limitsOf(scenario)), config ?? {});
    this.#agent = this.#begin();
  }

  async play(): Promise<void> {
    await this.#call("text");
    for (const step of this.#scenario.steps) await this.#take(step);
    this.#checkEvents(false);
    const last = this.#agent;
    this.#isOver = true;
    await last.close();
  }

  #wrong(kind: Problem["kind"], text: string): void {
    this.problems.push({ kind, text });
  }

  #words(): Msg {
    return userMsg(`m${++this.#said}`, { id: `m${this.#said}` });
  }

  #begin(snapshot?: Snapshot): Agent {
    const agent = createAgent({ ...this.#config, ...(snapshot && { sessionOptions: { snapshot } }) });
    this.#onAgent?.(agent);
    agent.subscribe((event) => {
      if (agent !== this.#agent) return;
      this.#events.push(event);
      if (event.type === "tool.end" && event.result.state !== "suspended") this.#finished.add(event.callId);
      const nth = (this.#seen.get(event.type) ?? 0) + 1;
      this.#seen.set(event.type, nth);
      for (const disturbance of this.#scenario.disturbances)
        if (disturbance.type === event.type && disturbance.nth === nth) this.#disturb(agent, disturbance);
    });
    return agent;
  }

  #disturb(agent: Agent, { deed, when }: Disturbance): void {
    const act = (): void => {
      if (agent !== this.#agent || this.#isOver) return;
      if (deed === "interrupt") agent.interrupt();
      else if (deed === "interrupt with words") agent.interrupt(this.#words());
      else if (deed === "steer") agent.steer(this.#words());
      else if (deed === "observe") void agent.observe(this.#words());
      else if (deed === "abort") this.#abort.abort();
      else if (deed === "snapshot") this.#checkSnapshot();
      else this.#crash();
    };
    if (when === "at once") act();
    else if (when === "a microtask later") queueMicrotask(act);
    else setImmediate(act);
  }

  /** The process ends here; another one goes on from what the first has left. */
  #crash(): void {
    const snapshot = json(this.#agent.snapshot());
    const old = this.#agent;
    this.#checkEvents(true);
    const { calls } = snapshot["kept"] as unknown as {
      readonly calls: readonly { readonly call: { readonly id: string } }[];
    };
    this.#startedBefore = new Set([...this.#startedBefore, ...calls.map(({ call }) => call.id)]);
    this.#agent = this.#begin(snapshot);
    this.#crashed?.();
    old.actor.stop();
    old.actor.send = () => {};
  }

  async #take(step: Step): Promise<void> {
    const pending = this.#agent.status().pending;
    switch (step) {
      case "observe":
        await this.#agent.observe(this.#words());
        return this.#checkRest();
      case "interrupt":
        this.#agent.interrupt(this.#words());
        return this.#settle();
      case "extend":
        await this.#agent.extendBudget({ modelCalls: 2 });
        return this.#call("nothing");
      case "restore":
        this.#crash();
        return this.#checkRest();
      case "approve":
      case "deny":
        await this.#decide(pending, () => step);
        return this.#call("nothing");
      case "answer":
        await this.#decide(pending, () => ({ answer: "by a person" }));
        return this.#call("nothing");
      case "edit":
        await this.#decide(pending, () => ({ edit: { z: 3 } }));
        return this.#call("nothing");
      default:
        return this.#call(step, pending);
    }
  }

  async #decide(
    pending: readonly PendingCall[],
    of: (call: PendingCall) => Parameters<Agent["decide"]>[1],
  ): Promise<void> {
    for (const call of pending) {
      try {
        await this.#agent.decide(call.callId, of(call), { argsHash: call.argsHash });
      } catch (error) {
        // a call that may have run already is not approved: it takes another decision
        if (!AgentError.is(error)) this.#wrong("error", `a decision rejects with ${String(error)}`);
      }
    }
  }

  #inputOf(step: Step, pending: readonly PendingCall[]): Msg[] {
    const results = pending.map(({ callId, name }) => ({ callId, name, text: "from outside" }));
    if (step === "nothing") return [];
    if (step === "all results") return results.length === 0 ? [] : [toolResultMsg(results.toReversed())];
    if (step === "some results") return results.length === 0 ? [] : [toolResultMsg(results.slice(-1))];
    if (step === "results and text")
      return [this.#words(), ...results.map((result) => toolResultMsg([result]))];
    if (step === "wrong results")
      return [toolResultMsg([...results, { callId: "nobody", name: "x", text: "?" }])];
    return [this.#words()];
  }

  /** One call, to its end or to the end of its process; then it is made again, without input, as a worker would. */
  async #call(step: Step, pending: readonly PendingCall[] = []): Promise<void> {
    this.#abort = new AbortController();
    const { promise: crashed, resolve } = Promise.withResolvers<"crashed">();
    this.#crashed = () => resolve("crashed");
    const { signal } = this.#abort;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<"late">((done) => (timer = setTimeout(() => done("late"), LONG)));
    const ended = await Promise.race([this.#run(step, this.#inputOf(step, pending), signal), crashed, late]);
    clearTimeout(timer);
    this.#crashed = undefined;
    if (ended === "crashed") return this.#call("nothing");
    if (ended === "late")
      return this.#wrong(
        "end",
        `the call does not end: ${JSON.stringify(this.#agent.actor.getSnapshot().value)}`,
      );
    return this.#settle();
  }

  async #run(step: Step, input: Msg[], signal: AbortSignal): Promise<"ended"> {
    try {
      if (step === "read a little") {
        let left = 6;
        for await (const event of this.#agent.stream(input, { signal }))
          if (event.type !== "state" && --left === 0) break;
      } else {
        const reply = await this.#agent.call(input, {
          signal,
          ...(step === "text for output" && { output: SCHEMA }),
        });
        if (!isDeepStrictEqual(json(reply.content), reply.content))
          this.#wrong("json", "the reply is not JSON");
      }
    } catch (error) {
      if (!AgentError.is(error)) this.#wrong("error", `the call rejects with ${String(error)}`);
    }
    return "ended";
  }

  /** Waits for what still goes on behind a call, as an interrupt's hooks. */
  async #settle(): Promise<void> {
    const deadline = performance.now() + LONG;
    while (this.#agent.status().phase === "running") {
      if (performance.now() > deadline)
        return this.#wrong(
          "end",
          `it does not come to rest: ${JSON.stringify(this.#agent.actor.getSnapshot().value)}`,
        );
      await tick();
    }
    return this.#checkRest();
  }

  async #checkRest(): Promise<void> {
    const messages = await this.#agent.messages();
    const { phase, pending } = this.#agent.status();
    const open = openIn(messages);
    const problem = historyProblem(messages, phase === "stopped" ? new Set() : open);
    if (problem) this.#wrong("history", `${phase}: ${problem}`);
    const stray = pending.find(({ callId }) => !open.has(callId));
    if (stray) this.#wrong("history", `call ${stray.callId} is pending and not open`);
    for (const { id } of messages.flatMap(toolResultsOf)) this.#finished.add(id);
    if (!isDeepStrictEqual(json(messages), messages)) this.#wrong("json", "the messages are not JSON");
    this.#checkSnapshot();
  }

  /** A snapshot is JSON, and the session made of it gives the same one. */
  #checkSnapshot(): void {
    if (this.#config.store) return;
    const snapshot = this.#agent.snapshot();
    if (!isDeepStrictEqual(json(snapshot), snapshot)) this.#wrong("json", "the snapshot is not JSON");
    const restored = createAgent({
      ...this.#config,
      sessionOptions: { ...this.#config.sessionOptions, snapshot: json(snapshot) },
    });
    const isAtRest = this.#agent.status().phase !== "running";
    const [was, is] = [snapshot, restored.snapshot()].map((each) => comparable(each, isAtRest));
    restored.actor.stop();
    for (const part of Object.keys(was!)) {
      if (isDeepStrictEqual(was![part], is![part])) continue;
      this.#wrong(
        "json",
        `${part} is not what it was: ${JSON.stringify(was![part])} -> ${JSON.stringify(is![part])}`,
      );
    }
  }

  #checkEvents(isCut: boolean): void {
    const problem = eventsProblem(this.#events, this.#startedBefore);
    if (problem && !(isCut && problem === "the last turn has no end")) this.#wrong("events", problem);
    this.#events = [];
  }
}

type Kept = {
  readonly progress: object;
  readonly request: object;
  readonly inbox: { readonly queued: readonly Msg[]; readonly steering: readonly Msg[] };
};

/** What a restore may not change: that it rests is noted, messages that wait may be delivered already, and a request that
 *  was about to be made is prepared anew. */
function comparable(snapshot: Snapshot, isAtRest: boolean): { readonly [part: string]: unknown } {
  const { messages, activeGroups, sessionId, reason, kept } = snapshot as unknown as {
    readonly messages: Msg[];
    readonly kept: Kept;
  } & Snapshot;
  const { progress, inbox, request, ...rest } = kept;
  const { settled: _, resumeAt: __, restedAt, ...counted } = progress as { readonly [key: string]: unknown };
  return {
    messages: [...messages, ...inbox.queued, ...inbox.steering],
    activeGroups,
    sessionId,
    reason,
    ...rest,
    ...counted,
    ...(isAtRest && { request, restedAt }),
  };
}

/** Plays a session and says what is wrong about it. */
export async function play(scenario: Scenario, options: PlayOptions = {}): Promise<readonly Problem[]> {
  const session = new Session(scenario, options);
  await session.play();
  return session.problems;
}
