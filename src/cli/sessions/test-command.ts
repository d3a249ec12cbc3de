import { dirname, relative, resolve, sep } from "node:path";
import { testOfSession } from "../../inspect/hub/session-test.ts";
import type { Handler } from "../define-command.ts";
import { printResult } from "../output.ts";
import { withSession } from "../session-commands.ts";
import type { test as definition } from "./many-definitions.ts";
import { writeAtomically } from "./write-atomically.ts";

/** `agentchart sessions test`. */
export const testCommand: Handler<typeof definition> = async ({ args: { id }, flags }, io) => {
  const { agents = "agents.ts", out, secrets } = flags;
  const folder = out === undefined ? "." : dirname(out);
  const path = relative(resolve(folder), resolve(agents)).split(sep).join("/");
  const specifier = path.startsWith(".") ? path : `./${path}`;
  return withSession({ sessionId: id, flags }, async (store) => {
    const text = await testOfSession(store, id, { agents: specifier, secrets });
    if (out === undefined) io.stdout.write(text);
    else {
      await writeAtomically(out, [text]);
      printResult(io, flags, `Wrote ${out}: run "npx vitest run ${out}".`, { sessionId: id, file: out });
    }
    return 0;
  });
};
