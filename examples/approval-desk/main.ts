import { resolve } from "node:path";
import { styleText } from "node:util";
import { startDesk } from "./desk/start-desk.ts";
import type { LogLine } from "./desk/start-worker.ts";

const FOLDER = ".desk";

const HELP = `A refunds desk: an agent that asks for refunds, two workers that drive it, and a page on which a person approves.

  npm run desk                 starts everything on a Postgres of its own and prints the link

  PORT                where the page is served; default: the port of the last time, at first any free one
  DESK_FOLDER         where the Postgres, the port and the token of the link are kept; default ${FOLDER}
  DESK_DATABASE_URL   a Postgres to use instead
  DESK_PACE_MS        how long the rules wait before each word, in ms; default 30
  OPENAI_API_KEY      asks a language model (AGENTCHART_MODEL, OPENAI_BASE_URL) instead of following rules

Ctrl-C ends it: the workers save what they run first. However it ends, start it again, and the page goes on.`;

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
  const { DESK_DATABASE_URL: databaseUrl, DESK_FOLDER: folder = FOLDER, PORT: port } = process.env;
  const desk = await startDesk({
    folder: resolve(folder),
    ...(port && { port: Number(port) }),
    ...(databaseUrl && { databaseUrl }),
    onLog: (worker, line) => {
      const text = lineOf(line);
      if (text !== undefined) console.log(styleText("dim", `${worker}: ${text}`));
    },
  });
  const { promise: signalled, resolve: end } = Promise.withResolvers<"SIGINT" | "SIGTERM">();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => end(signal));
  console.log(`Refunds desk: ${styleText("bold", desk.link)}`);
  console.log("Ctrl-C ends it.");
  await desk.close(await signalled);
  console.log("Closed.");
}
