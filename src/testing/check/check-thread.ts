import { parentPort } from "node:worker_threads";
import { walkHere, type Task, type TaskMessage } from "./threads.ts";

const say = (message: TaskMessage): void => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port between threads has no origin
  parentPort?.postMessage(message);
};

parentPort?.on("message", (task: Task) => {
  say({ walked: walkHere(task, (states, transitions) => say({ states, transitions })) });
});
