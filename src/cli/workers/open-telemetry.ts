import { messageOf } from "../../core/base/error.ts";
import { endsWithin } from "../../store/deadlines.ts";
import type { WorkerAgents } from "../../worker/types.ts";
import type { Environment } from "../terminal.ts";
import { withOptions } from "./load-agents.ts";
import type { Log } from "./open-log.ts";

/** Each of these variables turns OpenTelemetry on. */
const SWITCHES = /^OTEL_(?:EXPORTER_OTLP(?:_TRACES|_METRICS)?_ENDPOINT|TRACES_EXPORTER|METRICS_EXPORTER)$/;
/** The maximum time that a collector may take to accept what is left, ms. */
const FLUSH_MS = 3_000;

/** OpenTelemetry in this process. */
export type ProcessTelemetry = {
  /** The same agents, traced unless they have an `otel` of their own. */
  observed(agents: WorkerAgents): WorkerAgents;
  /** Sends what is left. A collector that has gone is not waited for, and is not an error. */
  close(): Promise<void>;
};

const OFF: ProcessTelemetry = { observed: (agents) => agents, close: async () => {} };

/** Starts the SDK of OpenTelemetry, which reads the standard `OTEL_*` variables itself, if one of them says where to send traces or
 *  metrics. If it is not installed, the log says so, and nothing is traced. */
export async function openTelemetry(env: Environment, log: Log): Promise<ProcessTelemetry> {
  const isOn = Object.entries(env).some(([name, value]) => value && SWITCHES.test(name));
  if (!isOn || env["OTEL_SDK_DISABLED"]?.toLowerCase() === "true") return OFF;
  const warn = (message: string): void => log.write("warn", "otel", { error: message });
  let sdk;
  try {
    const { NodeSDK } = await import("@opentelemetry/sdk-node");
    // By default the command line is reported too, which may hold the address of a store.
    process.env["OTEL_NODE_RESOURCE_DETECTORS"] ??= "env,host";
    sdk = new NodeSDK({ instrumentations: [] });
    sdk.start();
  } catch (error) {
    const remedy = "OpenTelemetry needs: npm install @opentelemetry/api @opentelemetry/sdk-node";
    warn(`Not started: ${messageOf(error).split("\n", 1)[0]!} ${remedy}`);
    return OFF;
  }
  const { otelObserver } = await import("../../kit/otel/index.ts");
  const otel = otelObserver();
  log.write("info", "otel", { state: "started" });
  return {
    observed: (agents) => withOptions(agents, { otel }),
    close: async () => {
      await endsWithin(sdk.shutdown(), FLUSH_MS).catch((error: unknown) =>
        warn(`The rest was not sent: ${messageOf(error)}`),
      );
    },
  };
}
