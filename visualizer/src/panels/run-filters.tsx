import { useRef, useState } from "react";
import { GROUP_NAMES } from "../logic/run-groups.ts";
import { RUN_GROUPS, type RunGroup } from "../wire/types.ts";
import { Icon } from "../parts/icon.tsx";
import { loadRuns } from "../store/load.ts";
import { model } from "../store/model.ts";
import { useModel } from "../store/use-model.ts";
import { OpenFile } from "./open-file.tsx";

/** The delay between typing and searching, ms. */
const TYPING_DELAY_MS = 150;

/** The search field and the group filter of the list of runs. */
export function Filters() {
  // local state: the model notifies a frame later, which would lose fast typing
  const [text, setText] = useState(model.search);
  const group = useModel((all) => all.group);
  const searchTimer = useRef<ReturnType<typeof setTimeout>>(undefined);
  return (
    <div className="filters" role="search">
      <label className="find">
        <Icon name="search" />
        <input
          className="input"
          id="find-run"
          type="search"
          placeholder="Find a run"
          aria-label="Find a run"
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            model.set({ search: event.target.value });
            clearTimeout(searchTimer.current);
            searchTimer.current = setTimeout(() => void loadRuns(), TYPING_DELAY_MS);
          }}
        />
        <kbd aria-hidden="true">/</kbd>
      </label>
      <select
        className="input"
        aria-label="Filter runs"
        value={group}
        onChange={(event) => model.set({ group: event.target.value as RunGroup | "all" })}
      >
        <option value="all">all runs</option>
        {RUN_GROUPS.map((each) => (
          <option key={each} value={each}>
            {GROUP_NAMES[each]}
          </option>
        ))}
      </select>
    </div>
  );
}

/** The state of the connection, and the button that opens a file. */
export function Foot() {
  const { up } = useModel((all) => all.workers);
  const isConnected = useModel((all) => all.isConnected);
  const tone = isConnected ? (up > 0 ? "green" : "slate") : "red";
  return (
    <footer className="foot">
      <span data-testid="connection" data-tone={tone}>
        <i className="dot" data-tone={tone} />{" "}
        {isConnected ? `${up} ${up === 1 ? "process" : "processes"} connected` : "not connected"}
      </span>
      <OpenFile label="Open a file" />
    </footer>
  );
}
