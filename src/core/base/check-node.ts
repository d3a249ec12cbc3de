// The build has every entry of the package import this file first, for its effect: under an old Node.js the import fails with one
// line that says what is needed. For that the other modules must link there: they import nothing by name that it lacks.
import { nodeVersionProblem } from "./node-version.ts";

// A browser or an edge has no process.
const problem = globalThis.process?.versions?.node && nodeVersionProblem(process);
if (problem) throw new Error(problem);
