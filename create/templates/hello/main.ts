import { hello } from "./agent.ts";
import { chooseModel, resultIn } from "./model.ts";

const model = chooseModel((request) => {
  const time = resultIn(request);
  return time ? `In Tokyo it is ${time}.` : { tool: "clock", input: { timeZone: "Asia/Tokyo" } };
});
const reply = await hello(model).call(process.argv[2] ?? "What time is it in Tokyo?");
console.log(reply.text);
