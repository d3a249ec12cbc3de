import { useState } from "react";
import { breakpointText } from "../../../src/core/tool/breakpoint.ts";
import type { Breakpoint } from "../../../src/core/tool/breakpoint.ts";
import { useModel } from "../store/use-model.ts";
import { t } from "../words/t.ts";
import { BreakpointsFrame } from "./breakpoints-frame.tsx";
import { useBreakpoints, writeBreakpoints } from "./use-breakpoints.ts";

/** A breakpoint that can be chosen without JSON, with what is entered for it. */
const EXAMPLES: { readonly [kind: string]: { readonly label: string; readonly condition: Breakpoint } } = {
  tool: { label: t("a tool"), condition: { tool: "*" } },
  where: {
    label: t("arguments of a tool"),
    condition: { tool: "*", where: [{ path: "amount", is: ">", value: 100 }] },
  },
  same: { label: t("the same call again"), condition: { same: 3 } },
  state: { label: t("a state"), condition: { state: "reasoning.backingOff" } },
  edge: { label: t("an edge"), condition: { edge: { from: "acting", to: "reasoning" } } },
  guard: { label: t("a guard"), condition: { guard: { name: "mustCompact", is: true } } },
  hook: { label: t("a change of a hook"), condition: { hook: { name: "*", changed: "input" } } },
  tokens: { label: t("tokens of the turn"), condition: { tokens: 20_000 } },
  cost: { label: t("cost of the turn"), condition: { cost: 1 } },
};

/** A breakpoint in words, and one of another release as it is stored. */
function textOf(condition: Breakpoint): string {
  try {
    return breakpointText(condition) || JSON.stringify(condition);
  } catch {
    return JSON.stringify(condition);
  }
}

const jsonOf = (condition: Breakpoint): string => JSON.stringify(condition, null, 2);

/** Lists the breakpoints of the run, and adds and removes them. */
export default function BreakpointsDialog({ add }: { readonly add?: Breakpoint }) {
  const stored = useBreakpoints();
  const isSent = useModel((all) => all.sent.has("setSlot"));
  const [kind, setKind] = useState(() => Object.keys(add ?? { tool: "" })[0]!);
  const [text, setText] = useState(() => jsonOf(add ?? EXAMPLES["tool"]!.condition));
  const [error, setError] = useState<string>();
  const write = async (list: readonly Breakpoint[]): Promise<void> => {
    if (stored) setError(await writeBreakpoints(stored, list));
  };
  const submit = (): void => {
    try {
      if (stored) void write([...stored.list, JSON.parse(text) as Breakpoint]);
    } catch (problem) {
      setError((problem as Error).message);
    }
  };
  const about = (
    <p className="muted">
      {t(
        "The run is suspended before the next call of a tool that meets one, and waits for an approval. What happened before counts since it rested last.",
      )}
    </p>
  );
  return (
    <BreakpointsFrame
      about={about}
      texts={stored?.list.map(textOf)}
      isSent={isSent}
      error={error}
      add={submit}
      remove={(place) => stored && void write(stored.list.toSpliced(place, 1))}
    >
      <label>
        {t("Stop at")}
        <select
          className="input"
          value={kind}
          onChange={({ target }) => {
            setKind(target.value);
            setText(jsonOf(EXAMPLES[target.value]!.condition));
          }}
        >
          {Object.entries(EXAMPLES).map(([name, { label }]) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <label>
        {t("Condition (JSON): all that it names must hold")}
        <textarea
          className="input mono"
          rows={6}
          spellCheck={false}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      </label>
    </BreakpointsFrame>
  );
}
