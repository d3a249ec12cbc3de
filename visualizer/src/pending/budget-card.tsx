import { useState } from "react";
import { limitName } from "../logic/limits.ts";
import { Button } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import { command } from "../store/commands.ts";
import { useModel } from "../store/use-model.ts";

/** The turn rests because a limit is used up. */
export function BudgetCard({ limit }: { readonly limit: string }) {
  const name = limitName(limit);
  const [extra, setExtra] = useState("");
  const amount = Number(extra);
  const isSent = useModel((all) => all.sent.has("extendBudget"));
  const canExtend = useModel(
    (all) =>
      all.connection.kind === "open" &&
      !all.connection.readonly &&
      (all.row?.can.includes("extendBudget") ?? false),
  );
  const isOff = isSent || !canExtend || extra === "" || !(amount > 0);
  return (
    <section className="pending" aria-label="The budget is used up">
      <form
        className="approval"
        id="approval"
        tabIndex={-1}
        data-pending="budget"
        data-kind="budget"
        aria-label={`The budget of ${name} is used up`}
        onSubmit={(event) => {
          event.preventDefault();
          if (!isOff) void command({ type: "extendBudget", extra: { [limit]: amount } });
        }}
      >
        <header>
          <Icon name="hourglass" />
          <h2>The budget of {name} is used up</h2>
        </header>
        <div className="choices">
          <label className="extend">
            <span>Add</span>
            <input
              className="input num"
              type="number"
              min={0}
              step="any"
              value={extra}
              aria-label={`More ${name}`}
              onChange={({ target }) => setExtra(target.value)}
            />
            <span>{name}</span>
          </label>
          <Button type="submit" tone="good" label="Extend and go on" isDisabled={isOff} />
        </div>
        {isSent && <p className="note">Sent. The agent has not confirmed it yet.</p>}
      </form>
    </section>
  );
}
