import { postgresStore } from "agentchart/store/postgres";
import { bullQueue, createDispatcher } from "agentchart/worker";
import { answerOf } from "./answer.ts";

const { DATABASE_URL: connectionString = "postgres://postgres:postgres@localhost:5432/postgres" } =
  process.env;
const store = postgresStore({ connectionString });
const queue = bullQueue({ postgres: connectionString });
const dispatcher = createDispatcher({ store, queue });
console.log(await answerOf(dispatcher, `ask-${Date.now()}`, process.argv[2] ?? "Where is order 17?"));
await queue.close();
await store.close();
