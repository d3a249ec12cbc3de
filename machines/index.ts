export { agentMachine } from "./agent.machine.ts";
