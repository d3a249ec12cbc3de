import { ArgumentText, isSameJson } from "../argument-text.ts";
import { UnclearCalls } from "../unclear-calls.ts";

/** A call of an answer. */
type SdkCall = { readonly key: number; readonly name: string; args: string; isWhole: boolean };

/** A call, and the arguments that are new. */
export type SdkCallPiece = { readonly key: number; readonly args: string };

/**
 * Puts the calls of an answer together. The id is the call, and the part `tool-call` says all of it, which the streamed arguments must
 * agree with. Where a call begins or comes twice, has no name or no end, or has arguments that are not those that were streamed, it throws
 * {@link UnclearCalls}: nothing of the answer may run.
 */
export class SdkCalls {
  readonly #byId = new Map<string, SdkCall>();
  readonly #unfinished = new Set<SdkCall>();
  #count = 0;

  /** A call begins to be streamed. */
  begin(id: string, name: string): SdkCallPiece {
    if (this.#byId.get(id)?.isWhole === false) throw new UnclearCalls(`a call of "${name}" begins twice.`);
    return { key: this.#create(id, name).key, args: "" };
  }

  /** A piece of arguments comes. */
  add(id: string, args: string): SdkCallPiece {
    const call = this.#byId.get(id);
    if (!call || call.isWhole) throw new UnclearCalls("a piece of arguments is of no call that has begun.");
    call.args += args;
    return { key: call.key, args };
  }

  /** A call is whole. */
  complete(id: string, name: string, input: string): SdkCallPiece {
    if (name === "") throw new UnclearCalls("a call has no name.");
    const known = this.#byId.get(id);
    if (known?.isWhole && known.name === name && (known.args === input || isSameJson(known.args, input)))
      throw new UnclearCalls(`the same call of "${name}" comes twice.`);
    const call = known && !known.isWhole ? known : this.#create(id, name);
    if (call.name !== "" && call.name !== name)
      throw new UnclearCalls(`one call has the names "${call.name}" and "${name}".`);
    if (call.args !== "" && input !== "" && call.args !== input && !isSameJson(call.args, input))
      throw new UnclearCalls(`the arguments of "${name}" are not those that were streamed.`);
    const args = call.args === "" ? input : "";
    call.args += args;
    call.isWhole = true;
    this.#unfinished.delete(call);
    const text = new ArgumentText();
    text.push(call.args);
    if (text.state === "joined")
      throw new UnclearCalls(`the arguments of "${name}" are more than one JSON object.`);
    return { key: call.key, args };
  }

  /** A call is of a tool that the provider runs: it must not have begun as one of ours. */
  refuse(id: string): void {
    if (this.#byId.get(id)?.isWhole === false)
      throw new UnclearCalls("a call that the provider runs began as one that it does not run.");
  }

  /** Throws {@link UnclearCalls} if a call has no end, now that the answer is over. */
  check(): void {
    for (const { name } of this.#unfinished) throw new UnclearCalls(`the call of "${name}" has no end.`);
  }

  #create(id: string, name: string): SdkCall {
    const call: SdkCall = { key: this.#count++, name, args: "", isWhole: false };
    this.#byId.set(id, call);
    this.#unfinished.add(call);
    return call;
  }
}
