import fc from "fast-check";

/** Random tests run the same cases each time; with SOAK=1 others each time, and with FC_SEED=n those of a failure. */
const { FC_SEED, SOAK } = process.env;

if (FC_SEED || SOAK !== "1") fc.configureGlobal({ seed: Number(FC_SEED ?? 1) });

export { default } from "fast-check";
