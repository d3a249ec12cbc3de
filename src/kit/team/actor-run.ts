import { AgentError, agentErrorOf } from "../../core/base/error.ts";
import { delayUntil } from "../../core/base/time.ts";
import type { Schema } from "../../core/tool/types.ts";
import { createActorAgent } from "../../agent/create-agent.ts";
import type { ActorAgent } from "../../agent/inbox-agent.ts";
import type { ActorParent } from "../../agent/live-chart.ts";
import { watcherOfSystem } from "../../agent/observed-systems.ts";
import type { AnyAgentConfig } from "../../agent/options/agent-config.ts";
import type { Input, AnyReply, Snapshot, Status } from "../../agent/types.ts";
import { waitMsOf } from "./inner-config.ts";
import type { AgentActorCommand, AgentActorEmitted } from "./actor-options.ts";

const LOST = "session/lease-lost";
/** The maximum number of times that a session is opened whose lease is lost because the store was late. */
const MAX_RUNS = 3;

/** The turn of an actor. */
export type ActorTurn = {
  readonly config: AnyAgentConfig;
  readonly output: Schema | undefined;
  readonly sessionId: string;
  readonly key: string;
  readonly message: Input;
  /** The session as it was when the actor was persisted, without a store. */
  readonly session: Snapshot | undefined;
};

/** The functions through which a run reports to its actor. */
export type RunListener = {
  rests(status: Pick<Status, "waitsFor" | "pending"> & { readonly phase: "running" | "suspended" }): void;
  done(reply: AnyReply): void;
  failed(error: AgentError): void;
  emit(emitted: AgentActorEmitted): void;
};

/** The turn of one actor in this process. */
export class ActorRun {
  readonly #turn: ActorTurn;
  readonly #listener: RunListener;
  readonly #ready = Promise.withResolvers<void>();
  readonly #ending = new AbortController();
  #agent: ActorAgent | undefined;
  #parent: ActorParent | undefined;
  #runs = 0;
  /** Commands of which the order counts, one after the other. */
  #commands: Promise<void> = this.#ready.promise;
  /** The calls about which a decision is on its way. */
  readonly #deciding = new Set<string>();
  #isDriving = false;
  /** The session has accepted the message. */
  #hasBegun: boolean;
  #timer: NodeJS.Timeout | undefined;

  constructor(turn: ActorTurn, listener: RunListener) {
    this.#turn = turn;
    this.#listener = listener;
    this.#hasBegun = turn.session !== undefined;
  }

  /** Opens the session, and makes the turn or goes on with it. */
  start(parent: ActorParent): void {
    void this.#open(parent);
  }

  /** Resolves once the turn rests or has ended. */
  #open(parent: ActorParent): Promise<void> {
    this.#parent = parent;
    this.#runs++;
    return this.#start(parent).catch((error: unknown) => this.#fail(error));
  }

  async #start(parent: ActorParent): Promise<void> {
    const { config, sessionId, session, message, key } = this.#turn;
    const watcher = config.inspect === undefined ? watcherOfSystem.get(parent.ref.system) : undefined;
    const agent = createActorAgent(
      {
        ...config,
        ...(watcher && { inspect: watcher }),
        sessionId,
        ...(session && { sessionOptions: { ...config.sessionOptions, snapshot: session } }),
      },
      parent,
    );
    this.#agent = agent;
    let hasTaken = false;
    agent.subscribe((event) => {
      hasTaken ||= event.type === "turn.start";
      this.#listener.emit({ type: "agent.event", event });
    });
    agent.actor.subscribe(() => {
      if (!hasTaken || this.#hasBegun) return;
      this.#hasBegun = true;
      this.#ready.resolve();
    });
    await agent.open({ waitMs: waitMsOf(config) });
    if (session) return this.#restore(agent);
    const options = { ...this.#asked(), idempotencyKey: key };
    return this.#drive(agent, () => agent.call(message, options) as Promise<AnyReply>);
  }

  /** Goes on from where the snapshot of the session says the turn was. */
  async #restore(agent: ActorAgent): Promise<void> {
    const { phase, reason } = agent.status();
    const hasEnded = phase === "stopped" && reason !== "ERROR";
    const rest = (): Promise<AnyReply> => agent.lastReply(this.#turn.output) as Promise<AnyReply>;
    await this.#drive(agent, hasEnded || phase === "suspended" ? rest : () => this.#goOn(agent));
  }

  #asked(): { readonly output?: Schema } {
    const { output } = this.#turn;
    return output ? { output } : {};
  }

  #goOn(agent: ActorAgent): Promise<AnyReply> {
    const nothing: Input = null;
    return agent.call(nothing, this.#asked()) as Promise<AnyReply>;
  }

  /** Follows the turn until it has ended or waits for somebody. */
  async #drive(agent: ActorAgent, step: () => Promise<AnyReply>): Promise<void> {
    this.#isDriving = true;
    this.#stopTimer();
    this.#listener.rests({ phase: "running", waitsFor: [], pending: [] });
    let reply = await step();
    while (agent.status().phase === "suspended" && this.#isDue(agent)) reply = await this.#goOn(agent);
    this.#isDriving = false;
    if (agent.status().phase === "suspended") this.#wait(agent);
    else await this.#end(() => this.#listener.done(reply));
    this.#ready.resolve();
  }

  #isDue(agent: ActorAgent): boolean {
    return (agent.wakeAt() ?? Infinity) <= this.#now();
  }

  #now(): number {
    return (this.#turn.config.sessionOptions?.now ?? Date.now)();
  }

  /** Says what the turn waits for, and goes on when the last of it expires. */
  #wait(agent: ActorAgent): void {
    const { waitsFor, pending } = agent.status();
    const open = pending.filter(({ callId }) => !this.#deciding.has(callId));
    this.#listener.rests({ phase: "suspended", waitsFor, pending: open });
    this.#stopTimer();
    const wakeAt = agent.wakeAt();
    if (wakeAt === undefined) return;
    // a timer may fire before the clock says so
    const due = (): void => (this.#isDue(agent) ? this.#resume(agent) : this.#wait(agent));
    this.#timer = setTimeout(due, delayUntil(wakeAt, this.#now()));
  }

  #stopTimer(): void {
    clearTimeout(this.#timer);
  }

  #resume(agent: ActorAgent, step = () => this.#goOn(agent)): void {
    void this.#drive(agent, step).catch((error: unknown) => this.#fail(error));
  }

  /** Hands a command to the agent once its turn has begun. */
  command(command: AgentActorCommand): void {
    if (command.type === "decide") this.#deciding.add(command.callId);
    this.#commands = this.#commands.then(async () => {
      try {
        await this.#insist(command);
      } catch (thrown) {
        if (command.type === "decide") this.#deciding.delete(command.callId);
        const error = agentErrorOf(thrown, "run/invalid-event");
        this.#listener.emit({ type: "agent.refused", command, error });
        if (this.#isDriving) return;
        if (error.code === LOST) this.#fail(error);
        else if (this.#agent?.status().phase === "suspended") this.#wait(this.#agent);
      }
    });
  }

  /** Performs a command. A session that waits hears of the loss of its lease only then: it is opened again. */
  async #insist(command: AgentActorCommand): Promise<void> {
    for (let runs = 1; this.#agent && !this.#ending.signal.aborted; runs++) {
      try {
        return await this.#perform(this.#agent, command);
      } catch (thrown) {
        const isLost = AgentError.is(thrown) && thrown.code === LOST;
        if (!isLost || this.#isDriving || runs >= MAX_RUNS || !this.#parent) throw thrown;
        await this.#open(this.#parent);
      }
    }
  }

  async #perform(agent: ActorAgent, command: AgentActorCommand): Promise<void> {
    switch (command.type) {
      case "decide": {
        const { callId, decision, argsHash, by } = command;
        const options = { ...(argsHash !== undefined && { argsHash }), ...(by !== undefined && { by }) };
        await agent.decide(callId, decision, options);
        this.#deciding.delete(callId);
        return this.#goOnIfDue(agent);
      }
      case "extendBudget":
        await agent.extendBudget(command.extra);
        return this.#goOnIfDue(agent);
      case "steer":
        if (!agent.steer(command.message)) throw refusal("No turn runs that could be steered.");
        return;
      case "interrupt":
        if (!agent.interrupt(command.message)) throw refusal("No turn runs that could be interrupted.");
        if (!this.#isDriving) this.#resume(agent, () => this.#interrupted(agent));
        return;
      case "resume":
        if (this.#isDriving) throw new AgentError("run/busy", "The turn of the agent runs.");
        if (agent.status().pending.some(({ decided, waitsFor }) => !decided && waitsFor !== "stopRequested"))
          throw new AgentError("run/undecided", "The turn of the agent waits for decisions.");
        return this.#resume(agent);
      default:
        throw new AgentError(
          "run/invalid-event",
          `The agent's actor got the event ${JSON.stringify((command as { readonly type: string }).type)}; expected decide, steer, interrupt, extendBudget or resume.`,
        );
    }
  }

  #goOnIfDue(agent: ActorAgent): void {
    if (this.#isDriving) return;
    if (this.#isDue(agent)) this.#resume(agent);
    else this.#wait(agent);
  }

  async #interrupted(agent: ActorAgent): Promise<AnyReply> {
    await agent.rest();
    return agent.lastReply(this.#turn.output) as Promise<AnyReply>;
  }

  /** The session, if it has accepted the message; undefined before. */
  session(): Snapshot | undefined {
    if (!this.#hasBegun) return undefined;
    return this.#agent?.snapshot() ?? this.#turn.session;
  }

  /** Leaves the session, so that the next actor can have it, and then tells the parent. */
  async #end(tell: () => void): Promise<void> {
    if (this.#ending.signal.aborted) return;
    this.#stopTimer();
    await this.#agent?.close().catch(() => {});
    if (this.#ending.signal.aborted) return;
    this.#ending.abort();
    tell();
  }

  #fail(thrown: unknown): void {
    const error = agentErrorOf(thrown, "run/closed");
    const { aborted: isOver } = this.#ending.signal;
    if (error.code === LOST && this.#runs < MAX_RUNS && this.#parent && !isOver)
      return this.start(this.#parent);
    void this.#end(() => this.#listener.failed(error));
  }

  /** The actor is stopped: its turn is parked. */
  stop(): void {
    if (this.#ending.signal.aborted) return;
    this.#ending.abort();
    this.#stopTimer();
    void this.#agent?.shutdown().catch(() => {});
  }
}

function refusal(message: string): AgentError {
  return new AgentError("run/not-running", message);
}
