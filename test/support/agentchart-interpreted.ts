// What `agentchart` means in the interpreted mode: its agents are those of the sources, whose accelerator vitest.config.ts switches off.
export * from "../../src/index.ts";
