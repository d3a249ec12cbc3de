import type { StepAccount } from "../../../machines/agent/step-account.ts";
import type { ActorStep } from "../../../src/inspect/protocol/actor-info.ts";
import type { Json, PatchOp, WireStep } from "./types.ts";

/** A step of a run. The wire has one letter for each field, see `Step` in src/inspect/protocol/protocol.ts. */
export type Step = {
  /** The step's number in the run, from 1. */
  readonly number: number;
  /** Epoch ms. */
  readonly time: number;
  /** Monotonic ms since the observation began. */
  readonly elapsed: number;
  /** The event type; "journal" for changes whose steps are not known. */
  readonly event: string;
  /** Of a live step; what is told of a step does not need it. */
  readonly payload: Json | undefined;
  readonly account: StepAccount | undefined;
  /** "inspector" if a command of the inspector caused the event. */
  readonly by: WireStep["by"];
  /** The ids of the edges taken. */
  readonly edges: readonly string[];
  /** The index of the states that are active after the step. */
  readonly state: number;
  readonly actions: readonly string[];
  readonly patch: readonly PatchOp[];
  /** The position in the journal; 0 without a store. */
  readonly journalSeq: number;
  /** The position before the step, at which a fork makes it again; 0 without a store, and at the start of a run. */
  readonly before: number;
  /** Of an actor of another system. */
  readonly actor?: ActorStep;
};

/** Decodes a step of the wire or of an exported run. */
export function decodeStep({ q, t, m, e, v, d, by, x, s, k = NONE, p = NONE, j = 0, b, a }: WireStep): Step {
  return {
    number: q,
    time: t,
    elapsed: m,
    event: e,
    payload: v,
    account: d,
    by,
    edges: x,
    state: s,
    actions: k,
    patch: p,
    journalSeq: j,
    before: b ?? j,
    ...(a && { actor: a }),
  };
}

const NONE: readonly never[] = [];

/** Encodes a step as it is sent over the wire. */
export function encodeStep(step: Step): WireStep {
  const {
    number,
    time,
    elapsed,
    event,
    payload,
    account,
    by,
    edges,
    state,
    actions,
    patch,
    journalSeq,
    before,
    actor,
  } = step;
  return {
    q: number,
    t: time,
    m: elapsed,
    e: event,
    ...(account && { d: account }),
    ...(payload !== undefined && { v: payload }),
    ...(by && { by }),
    x: edges,
    s: state,
    ...(actions.length > 0 && { k: actions }),
    ...(patch.length > 0 && { p: patch }),
    ...(journalSeq > 0 && { j: journalSeq }),
    ...(before !== journalSeq && { b: before }),
    ...(actor && { a: actor }),
  };
}
