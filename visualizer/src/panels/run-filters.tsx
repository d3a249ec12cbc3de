import { useRef, useState } from "react";
import { GROUP_NAMES, GROUPS, type Group } from "../logic/run-groups.ts";
import { Icon } from "../parts/icon.tsx";
import { loadRuns } from "../store/load.ts";
import { model } from "../store/model.ts";
import { useModel } from "../store/use-model.ts";
import { OpenFile } from "./open-file.tsx";

/** Nobody wants the runs of each letter of a word, ms. */
const TYPING = 150;

export function Filters() {
  // of its own: the model tells of changes a frame later, and fast typing does not wait for it
  const [text, setText] = useState(model.search);
  const group = useModel((all) => all.group);
  const asking = useRef<ReturnType<typeof setTimeout>>(undefined);
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
            clearTimeout(asking.current);
            asking.current = setTimeout(() => void loadRuns(), TYPING);
          }}
        />
        <kbd aria-hidden="true">/</kbd>
      </label>
      <select
        className="input"
        aria-label="Which runs"
        value={group}
        onChange={(event) => model.set({ group: event.target.value as Group | "all" })}
      >
        <option value="all">all runs</option>
        {GROUPS.map((each) => (
          <option key={each} value={each}>
            {GROUP_NAMES[each]}
          </option>
        ))}
      </select>
    </div>
  );
}

export function Foot() {
  const { up } = useModel((all) => all.workers);
  const isConnected = useModel((all) => all.isConnected);
  const tone = isConnected ? (up > 0 ? "green" : "slate") : "red";
  return (
    <footer className="foot">
      <span data-testid="connection" data-tone={tone}>
        <i className="dot" data-tone={tone} />{" "}
        {isConnected ? `${up} ${up === 1 ? "process" : "processes"} up` : "not connected"}
      </span>
      <OpenFile label="Open a file" />
    </footer>
  );
}
