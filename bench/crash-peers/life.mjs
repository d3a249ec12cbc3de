// One life of a process: it does one step with one system, says what came of it, and waits for its end.
import { setTimeout as sleep } from "node:timers/promises";
import { Ledger, toolsOf } from "./world.mjs";

const orders = JSON.parse(process.argv[2]);
const ledger = new Ledger(orders.ledger);
const system = await import(`./systems/${orders.system}.mjs`);
const say = (outcome) => process.send(outcome);
process.on("unhandledRejection", (error) => say({ state: "refused", error: wordsOf(error) }));

function wordsOf(error) {
  const text = `${error?.code && !String(error.message).includes(error.code) ? `${error.code}: ` : ""}${error?.message ?? error}`;
  return text.split("\n")[0].slice(0, 240);
}

try {
  const agent = await system.open(orders, toolsOf(orders, ledger));
  const { step, input, item } = orders;
  const outcome = await (step === "start"
    ? agent.start(input)
    : step === "approve"
      ? agent.approve(item)
      : step === "answer"
        ? agent.answer(item, orders.text)
        : agent[step]());
  await sleep(500); // what is written in the background is written
  say(outcome);
} catch (error) {
  say({ state: "refused", error: wordsOf(error) });
}
setInterval(() => {}, 1_000); // until it is killed
