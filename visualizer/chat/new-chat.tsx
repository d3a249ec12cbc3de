import { useState } from "react";
import type { AboutAgents } from "../../src/cli/dev/about-agents.ts";
import { randomId } from "../../src/ui/react/session-api.ts";
import { Composer } from "./composer.tsx";
import { beginChat, type Input } from "./server.ts";
import { t } from "../src/words/t.ts";

type Props = {
  readonly token: string;
  readonly agents: readonly string[];
  /** The words of the agents' file about them. */
  readonly about: AboutAgents;
  readonly onBegun: (id: string) => void;
};

/** A chat that nothing was said in: it exists once the first message is sent. */
export function NewChat({ token, agents, about, onBegun }: Props) {
  const [chosen, setChosen] = useState("");
  const [id] = useState(() => `c_${randomId()}`);
  const [error, setError] = useState<string>();
  const agent = agents.includes(chosen) ? chosen : agents[0];
  const { description, prompts = [] } = (agent === undefined ? undefined : about[agent]) ?? {};
  const send = async (input: Input): Promise<void> => {
    setError(undefined);
    try {
      await beginChat(token, id, agent!, input);
      onBegun(id);
    } catch (thrown) {
      setError((thrown as Error).message);
      throw thrown;
    }
  };
  return (
    <main className="conversation-page">
      <div className="welcome-box">
        <h1>{t("New chat")}</h1>
        <label>
          {t("Agent")}
          <select
            className="input"
            value={agent ?? ""}
            disabled={agents.length === 0}
            onChange={({ target }) => setChosen(target.value)}
          >
            {agents.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        {description !== undefined && <p className="description">{description}</p>}
        {prompts.length > 0 && (
          <ul className="prompts" aria-label={t("Begin with")}>
            {prompts.map((prompt) => (
              <li key={prompt}>
                <button type="button" className="button" onClick={() => void send(prompt).catch(() => {})}>
                  {prompt}
                </button>
              </li>
            ))}
          </ul>
        )}
        {error !== undefined && (
          <p className="error" role="alert">
            {error}
          </p>
        )}
      </div>
      <Composer isDisabled={agent === undefined} send={send} />
    </main>
  );
}
