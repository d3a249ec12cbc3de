import { styleText } from "node:util";
import { startDesk } from "./desk/start-desk.ts";
import type { LogLine } from "./desk/start-worker.ts";

const HELP = `A refunds desk: an agent that asks for refunds, two workers that drive it, and a page on which a person approves.

  npm run desk                 starts everything on a Postgres of its own and prints the link

  PORT                where the page is served; any free port unless set
  DESK_DATABASE_URL   a Postgres to use instead; what is written there stays
  OPENAI_API_KEY      asks a language model (AGENTCHART_MODEL, OPENAI_BASE_URL) instead of following rules

Ctrl-C ends it: the workers save what they run first.`;

/** The line to print for a log entry; undefined if it is not worth one. */
function lineOf({ msg, sessionId, isTakeover, phase, error }: LogLine): string | undefined {
  switch (msg) {
    case "session.start":
      return `took ${sessionId as string}${isTakeover === true ? " over from a worker that died" : ""}`;
    case "session.end":
      return `left ${sessionId as string}, ${phase as string}`;
    default:
      return error === undefined ? undefined : `${msg}: ${JSON.stringify(error)}`;
  }
}

if (process.argv.includes("--help")) console.log(HELP);
else {
  console.log("Starting Postgres, two workers and the server …");
  const databaseUrl = process.env["DESK_DATABASE_URL"];
  const desk = await startDesk({
    port: Number(process.env["PORT"] ?? 0),
    ...(databaseUrl && { databaseUrl }),
    onLog: (worker, line) => {
      const text = lineOf(line);
      if (text !== undefined) console.log(styleText("dim", `${worker}: ${text}`));
    },
  });
  const { promise: signalled, resolve } = Promise.withResolvers<"SIGINT" | "SIGTERM">();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => resolve(signal));
  console.log(`Refunds desk: ${styleText("bold", desk.link)}`);
  console.log("Ctrl-C ends it.");
  await desk.close(await signalled);
  console.log("Closed.");
}
