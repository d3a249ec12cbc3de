import { chooseModel, resultIn } from "./model.ts";
import { run } from "./run.ts";

const text = "Sales rose by 4 %.";
const researcher = chooseModel(() => text);
const writer = chooseModel((request) => resultIn(request) ?? { tool: "publish", input: { text } });
const state = await run({ researcher, writer }, (name, input) => console.log("Approved:", name, input));
console.log("The newsroom has ended in:", state);
