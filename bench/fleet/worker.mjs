// One worker process. It loads its modules, and begins to work when it is told so.
import { hooks } from "./work.mjs";

const [, , name, orders] = process.argv;
const system = await import(`./systems/${name}.mjs`);
const at = hooks();
let close;
async function obey(message) {
  if (message === "go") {
    close = await system.work(JSON.parse(orders), at);
    at.say("ready");
    return;
  }
  await close?.().catch(() => {});
  process.exit(0);
}
process.on("message", (message) => {
  obey(message).catch((error) => {
    console.error(error);
    process.exit(1);
  });
});
process.on("disconnect", () => process.exit(1));
at.say("loaded");
