import { scriptedModel } from "agentchart/testing";

const writer = { name: "writer", model: scriptedModel(["Our product is the best."]) };
const lawyer = { name: "lawyer", model: scriptedModel(["Say whose opinion that is."]) };
const editor = { name: "editor", model: scriptedModel(["Its users say that it is the best."]) };
const critic = { name: "critic", model: scriptedModel(["It is short. Good."]) };

// #region pipeline
import { fanOut, pipeline, sequence } from "agentchart/team";

const review = pipeline({
  name: "review",
  steps: sequence(writer, fanOut([lawyer, critic], { concurrency: 2 }), editor),
});
const reply = await review.call("Write a sentence about our product.");
console.log(reply.text);
// #endregion

console.log(reply.turn.toolCalls, "agents have run.");
