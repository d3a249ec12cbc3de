import { context, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { AlwaysOffSampler, TracerProvider, type SpanProcessor } from "@opentelemetry/sdk-trace";
import { otelObserver } from "agentchart/otel";
import { inTurns, IS_SMOKE } from "./cpu.ts";
import { iterations } from "./iteration.ts";
import { benchOptions } from "./options.ts";

benchOptions(
  `Compares an iteration without telemetry with one that is observed. Exits with 1 if an aim is missed.

Usage: npm run bench:otel

  --help  prints this`,
  {},
);

context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());

/** Takes every span and does nothing with it. */
const dropping: SpanProcessor = {
  onStart: () => {},
  onEnd: () => {},
  forceFlush: () => Promise.resolve(),
  shutdown: () => Promise.resolve(),
};
const recording = new TracerProvider({ spanProcessors: [dropping] });
const unsampled = new TracerProvider({ sampler: new AlwaysOffSampler(), spanProcessors: [dropping] });

const otel = {
  plain: undefined,
  none: otelObserver({ tracer: trace.getTracer("no provider") }),
  unsampled: otelObserver({ tracer: unsampled.getTracer("bench") }),
  dropping: otelObserver({ tracer: recording.getTracer("bench") }),
};

const taken = await inTurns(
  {
    plain: iterations(10, {}),
    again: iterations(10, {}),
    none: iterations(10, { otel: otel.none }),
    unsampled: iterations(10, { otel: otel.unsampled }),
    dropping: iterations(10, { otel: otel.dropping }),
  },
  { samples: 101, warmUpMs: 1_000 },
);

/** Of the least samples: a busy machine makes all others longer. */
const ratio = (samples: readonly number[]): number => Math.min(...samples) / Math.min(...taken.plain);
const ratios = {
  again: ratio(taken.again),
  none: ratio(taken.none),
  unsampled: ratio(taken.unsampled),
  dropping: ratio(taken.dropping),
};

console.log(`CPU of one iteration without telemetry: ${Math.min(...taken.plain).toFixed(1)} µs`);
console.log(`The same again: ${ratios.again.toFixed(3)} times`);
console.log(`Without a provider: ${ratios.none.toFixed(3)} times, at most 1.05`);
console.log(`With a provider that samples nothing: ${ratios.unsampled.toFixed(3)} times`);
console.log(`With a provider that drops all spans: ${ratios.dropping.toFixed(3)} times, at most 1.4`);
if (!IS_SMOKE && (ratios.none > 1.05 || ratios.dropping > 1.4)) process.exitCode = 1;
