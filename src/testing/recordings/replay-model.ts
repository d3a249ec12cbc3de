import { AgentError, configError } from "../../core/base/error.ts";
import * as s from "../../core/base/option-schema.ts";
import { check } from "../../core/base/options.ts";
import { modelSchema } from "../../core/model/generate-schema.ts";
import type { ChatModel, ModelRequest, StreamPart } from "../../core/model/port.ts";
import {
  canonicalOf,
  differences,
  fieldsOf,
  type CanonicalRequest,
  type RequestDifference,
} from "./canonical.ts";
import { failAgain, numbering, recorder, type NumberOf, type RecordOptions } from "./record-model.ts";
import { readRecordings, redactedRequest, type RecordedModel, type RecordingFile } from "./recording.ts";

/** Options of {@link replayModel}. */
export type ReplayModelOptions = RecordOptions & {
  /** The name of the model whose recordings are used; default: the only one that the folder has. */
  readonly name?: string | undefined;
  /** The handling of a request that is not recorded. `fail` (default): the call fails with `model/bad-request`, whose message and `data` name
   *  the nearest recording and the first difference. `live`: `model` is asked. `record`: it is asked, and the answer is recorded. */
  readonly onMiss?: "fail" | "live" | "record" | undefined;
  /** The model that is asked; needed with `live` and `record`, and refused without. */
  readonly model?: ChatModel | undefined;
};

/** A model that answers from recordings. */
export type ReplayModel = ChatModel & {
  /** The files of this model that were not used so far, in order. */
  readonly unused: readonly string[];
  /** Throws `config/invalid` if a recording was not used, and names them. */
  done(): void;
};

const replaySchema = s.lazily(() =>
  s.options<ReplayModelOptions>({
    dir: s.nonEmpty(),
    redact: s.optional(s.func()),
    name: s.optional(s.nonEmpty()),
    onMiss: s.optional(s.oneOf("fail", "live", "record")),
    model: s.optional(modelSchema()),
  }),
);

const invalid = (problem: string): AgentError => configError(`replayModel: ${problem}.`);

/** The recordings of a folder, and which of them were used. */
class Recordings {
  readonly #options: ReplayModelOptions;
  readonly #files: readonly RecordingFile[];
  /** The answers to each request, by key and number. */
  readonly #byKey = new Map<string, Map<number, RecordingFile>>();
  readonly #used = new Set<string>();
  readonly #numberOf: NumberOf = numbering();

  constructor(options: ReplayModelOptions) {
    this.#options = options;
    this.#files = readRecordings(options.dir, options.model !== undefined);
    for (const each of this.#files) {
      const { key } = each.recording;
      this.#byKey.set(key, (this.#byKey.get(key) ?? new Map<number, RecordingFile>()).set(each.number, each));
    }
  }

  get names(): readonly string[] {
    return [...new Set(this.#files.map(({ recording }) => recording.model.name))];
  }

  #of(name: string): readonly RecordingFile[] {
    return this.#files.filter(({ recording }) => recording.model.name === name);
  }

  model(name: string): ReplayModel {
    const own = this.#of(name);
    const known: RecordedModel = own[0]?.recording.model ?? fieldsOf(this.#options.model!);
    const { leftOut = [], ...about } = known;
    const left = new Map(leftOut.map((tool) => [tool.name, tool]));
    const unused = (): readonly string[] =>
      own.map(({ file }) => file).filter((file) => !this.#used.has(file));
    return {
      ...about,
      get unused() {
        return unused();
      },
      done() {
        const rest = unused();
        if (rest.length > 0) throw invalid(`not used: ${rest.join(", ")}`);
      },
      ...(left.size > 0 && { leftOut: (tools) => tools.flatMap((tool) => left.get(tool.name) ?? []) }),
      ...(this.names.length > 1 && { withName: (other) => this.#named(other) }),
      stream: (request, stream) => this.#stream(name, request, stream),
    };
  }

  #named(name: string): ReplayModel {
    if (this.names.includes(name)) return this.model(name);
    throw invalid(`there are no recordings of the model '${name}', only of ${this.names.join(", ")}`);
  }

  async *#stream(
    name: string,
    request: ModelRequest,
    stream: { readonly signal: AbortSignal },
  ): AsyncGenerator<StreamPart> {
    const { redact = (value) => value, onMiss = "fail", model } = this.#options;
    const asked = redactedRequest(canonicalOf(name, request), redact);
    const number = this.#numberOf(asked.key);
    const found = this.#byKey.get(asked.key)?.get(number);
    if (found) {
      this.#used.add(found.file);
      for (const part of found.recording.parts) {
        stream.signal.throwIfAborted();
        yield part;
      }
      if (found.recording.error) failAgain(found.recording.error);
    } else if (onMiss === "fail" || !model) throw this.#miss(name, asked, number);
    else {
      const live = onMiss === "record" ? recorder(model, this.#options, () => number) : model;
      yield* live.stream(request, stream);
    }
  }

  #miss(
    name: string,
    { key, request }: { readonly key: string; readonly request: CanonicalRequest },
    number: number,
  ): AgentError {
    const known = this.#byKey.get(key);
    if (known)
      return new AgentError(
        "model/bad-request",
        `The model '${name}' is asked the same ${number} times, and recorded are the answers ${[...known.keys()].join(", ")}.`,
        { data: { nearest: [...known.values()].at(-1)!.file } },
      );
    const { file, first, count: places } = nearestOf(this.#of(name), request);
    const { at, recorded = "nothing", asked = "nothing" } = first;
    return new AgentError(
      "model/bad-request",
      `The request is not recorded. The nearest recording is ${file}, which differs in ${places} place(s), first at ${at}: recorded ${JSON.stringify(recorded)}, asked ${JSON.stringify(asked)}.`,
      { data: { nearest: file, difference: { at, recorded, asked } } },
    );
  }
}

type Nearest = { readonly file: string; readonly first: RequestDifference; readonly count: number };

/** The recording that differs from a request in the fewest places. */
function nearestOf(files: readonly RecordingFile[], request: CanonicalRequest): Nearest {
  let nearest: Nearest | undefined;
  for (const { file, recording } of files) {
    let first: RequestDifference | undefined;
    let count = 0;
    for (const difference of differences(recording.request, request)) {
      first ??= difference;
      if (++count >= (nearest?.count ?? Infinity)) break;
    }
    if (first && count < (nearest?.count ?? Infinity)) nearest = { file, first, count };
  }
  return nearest!; // a folder without recordings of the model was refused
}

/**
 * Returns a model that answers each request with what {@link recordModel} has recorded, as the same stream of parts. An error that was recorded
 * is thrown again. The n-th request that is the same gets the n-th answer. Requests are the same if model, options, tools, structured answer
 * and messages are: their ids and times, ids of calls, opaque data, headers, and the order of keys do not count. Nothing is sent unless `onMiss`
 * says so.
 *
 * Throws `config/invalid` for wrong options, a folder without recordings, several models without `name`, and a recording of another format.
 *
 * @example
 * ```ts
 * import { createAgent } from "agentchart";
 * import { replayModel } from "agentchart/testing";
 *
 * export async function check(): Promise<void> {
 *   const model = replayModel({ dir: "test/recordings/refund" });
 *   const desk = createAgent({ name: "desk", model });
 *   console.log((await desk.call("Refund order 17.")).text);
 *   model.done(); // throws if the agent took another path
 * }
 * ```
 */
export function replayModel(options: ReplayModelOptions): ReplayModel {
  check(replaySchema(), options, "replayModel");
  const { dir, onMiss = "fail", model } = options;
  if (onMiss !== "fail" && !model) throw invalid(`\`onMiss: "${onMiss}"\` needs \`model\``);
  if (onMiss === "fail" && model) throw invalid("`model` is asked only with `onMiss`: live or record");
  const recordings = new Recordings(options);
  const { names } = recordings;
  const { name = names[0] ?? model?.name } = options;
  if (name === undefined) throw invalid(`there are no recordings in ${dir}`);
  if (options.name === undefined && names.length > 1)
    throw invalid(`${dir} has recordings of ${names.join(", ")}: choose one with \`name\``);
  if (!names.includes(name) && !model)
    throw invalid(`${dir} has no recordings of '${name}', only of ${names.join(", ")}`);
  return recordings.model(name);
}
