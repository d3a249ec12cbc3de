import { parentPort, workerData } from "node:worker_threads";
import type { Chart } from "./chart-json.ts";
import { layoutChart } from "./layout-chart.ts";

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port between threads has no origin
parentPort?.postMessage(await layoutChart(workerData as Chart));
