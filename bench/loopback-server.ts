import { chatCompletionsServer } from "agentchart/testing";
import { SIZES, turnOf } from "./task.ts";

// A process of its own, so that its CPU is not counted.
const size = SIZES[process.argv[2] as keyof typeof SIZES];
const rounds = Number(process.argv[3]);
const server = await chatCompletionsServer(
  ({ messages }) => turnOf(messages.filter(({ role }) => role === "tool").length, size, rounds),
  { record: false },
);
process.send!(server.baseURL);
process.on("disconnect", () => void server.close());
