import { readFile } from "node:fs/promises";
import { configError, messageOf } from "../../core/base/error.ts";
import { auditSession, type AuditOptions, type Finding } from "../../kit/rules/audit.ts";
import { rulesOfDogwood } from "../../kit/rules/dogwood/index.ts";
import { isRule, type Rule } from "../../core/tool/rules/rule.ts";
import type { Handler } from "../define-command.ts";
import { importFile } from "../import-file.ts";
import { withExistingStore } from "../open-store.ts";
import { formatTime, printItems } from "../output.ts";
import { sessionsOf } from "../paginate.ts";
import { unlessUnreadable } from "../session-commands.ts";
import type { audit as definition } from "./definitions.ts";

type Line = Finding & { readonly sessionId: string };

const HEAD = ["SESSION", "POSITION", "TIME", "TOOL", "WHAT", "RULE"];

/** `agentchart audit`. */
export const auditCommand: Handler<typeof definition> = async ({ flags }, io) => {
  const { rules, ...options } = await loadRules(flags.rules);
  const { prefix, limit } = flags;
  return withExistingStore(flags.store, async (store) => {
    const counts = { sessions: 0, broke: 0, unread: 0 };
    async function* lines(): AsyncGenerator<Line> {
      for await (const { sessionId } of sessionsOf(store, { prefix }, limit)) {
        counts.sessions++;
        const audited = await unlessUnreadable(sessionId, io, () =>
          auditSession(store, sessionId, rules, options),
        );
        if (!audited) counts.unread++;
        else if (audited.some(({ what }) => what !== "ordered")) counts.broke++;
        for (const finding of audited ?? []) yield { sessionId, ...finding };
      }
    }
    await printItems(io, flags, lines(), HEAD, rowOf, "No call breaks a rule.");
    const { sessions, broke, unread } = counts;
    io.terminal.note(
      `${sessions} audited; ${broke} would have been stopped or cannot be judged, ${unread} cannot be read.`,
    );
    return broke + unread > 0 ? 1 : 0;
  });
};

function rowOf({ sessionId, seq, at, tool, what, rule }: Line): string[] {
  return [sessionId, String(seq), formatTime(at), tool, what, rule];
}

async function textOf(file: string): Promise<string> {
  return readFile(file, "utf8").catch((cause: unknown) => {
    throw configError(`Cannot read ${file}: ${messageOf(cause)}`, { cause });
  });
}

/** The rules that a file exports as its default export or by the name `rules`, and how it reads arguments, if it exports `inputOf`. */
async function loadRules(file: string): Promise<{ readonly rules: readonly Rule[] } & AuditOptions> {
  if (/\.(?:dw|cedar)$/u.test(file)) return { rules: rulesOfDogwood(await textOf(file), { from: file }) };
  const module = await importFile(file, "rules");
  const rules: unknown = module["default"] ?? module["rules"];
  const { inputOf } = module as AuditOptions;
  if (inputOf !== undefined && typeof inputOf !== "function")
    throw configError(`${file}: \`inputOf\` must be a function of a call and the messages before it.`);
  if (Array.isArray(rules) && rules.length > 0 && rules.every(isRule))
    return { rules, ...(inputOf && { inputOf }) };
  throw configError(
    `${file} exports no rules: use "export const rules = [before("verify", "refund")]" with functions of agentchart/rules.`,
  );
}
