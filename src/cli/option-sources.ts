import type { WorkerOptions } from "../worker/types.ts";
import type { SchemaSource } from "./define-command.ts";

/** The schema of `maxIters` of an agent. */
export const maxIters: SchemaSource = async () => {
  const { configSchema } = await import("../agent/options/config-schema.ts");
  return configSchema().shape.maxIters;
};

/** The schema of an option of a worker. */
export function ofWorker(name: keyof WorkerOptions): SchemaSource {
  return async () => (await import("../worker/option-schemas.ts")).workerSchema().shape[name];
}

/** The schema of `concurrency` of the limits of a tenant. */
export const ofTenant: SchemaSource = async () =>
  (await import("../worker/option-schemas.ts")).tenantLimitsSchema().shape.concurrency;

/** The schema of the maximum size of a request body. */
export const maxBodyBytes: SchemaSource = async () =>
  (await import("../server/option-schemas.ts")).serverSchema().shape.maxBodyBytes;
