import { readAddress } from "../logic/address.ts";
import { foldStream, withoutStored } from "../logic/stream-text.ts";
import type { HubToPage, JsonObject, PendingItem } from "../wire/types.ts";
import { askProcesses, settleAck } from "./commands.ts";
import { fillMissing, loadChart, takeLaidOut, takeWorkers, WANTED } from "./load.ts";
import { model } from "./model.ts";
import { select } from "./navigate.ts";
import { notify } from "./notices.ts";
import { takeRows } from "./rows.ts";

/** Takes in what the hub says. */
export function receive(message: HubToPage): void {
  const { runId } = model.selection;
  switch (message.type) {
    case "welcome":
      return;
    case "runs":
      takeRows(message.op, message.rows);
      askProcesses(message.rows);
      model.set({ isListed: true });
      if (runId === null) selectFirst();
      else if (model.row && !model.chart) void loadChart(model.row.chart);
      return;
    case "workers":
      takeWorkers(message);
      return;
    case "chart":
      takeLaidOut(message);
      return;
    case "steps":
      if (message.runId !== runId) return;
      model.run.add(message);
      model.set({ isLoading: false, stream: stillStreaming() });
      if (lacksSteps()) void fillMissing();
      return;
    case "stream":
      model.set({
        stream: foldStream(
          model.stream,
          message.items.filter((item) => item.runId === runId),
        ),
      });
      return;
    case "pending":
      if (message.runId === runId) takePending(message);
      return;
    case "gap":
      if (message.runId === runId) void fillMissing(message.to);
      return;
    case "ack":
      settleAck(message);
  }
}

/** The run of the address, else the one that changed last. */
function selectFirst(): void {
  const asked = readAddress(location.hash);
  const newest = [...model.rows.values()].toSorted((a, b) => b.updatedAt - a.updatedAt)[0];
  if (asked.runId !== null) select(asked, "replace");
  else if (newest) select({ runId: newest.runId, q: null }, "replace");
}

/** A call that is gone from the list, or decided, was settled: by this tab if it has sent something, else by somebody else. */
function takePending({ items, exceeded }: Extract<HubToPage, { type: "pending" }>): void {
  const open = new Set(items.filter(isOpen).map(keyOf));
  for (const item of model.pending.items.filter(isOpen)) {
    const key = keyOf(item);
    if (!open.has(key) && !model.sent.has(key)) notify("info", `${item.name} was answered elsewhere.`);
  }
  const sent = new Map([...model.sent].filter(([key]) => !key.startsWith("call:") || open.has(key)));
  model.set({ pending: { items, ...(exceeded !== undefined && { exceeded }) }, sent });
}

const isOpen = ({ decided }: PendingItem): boolean => decided === undefined;
const keyOf = ({ callId }: PendingItem): string => `call:${callId}`;

/** True while steps are missing that are near enough to be fetched unasked. */
function lacksSteps(): boolean {
  const { first, last, wholeFrom } = model.run;
  return wholeFrom > first && wholeFrom > last - WANTED;
}

/** What is in context by now needs no stream. */
function stillStreaming(): typeof model.stream {
  const { run, stream } = model;
  if (stream.blocks.length === 0) return stream;
  const context = run.contextAt(run.last);
  const calls = Array.isArray(context?.["calls"]) ? (context["calls"] as readonly JsonObject[]) : [];
  const running = new Set(
    calls.flatMap(({ call, status }) => (status === "running" ? [(call as JsonObject)["id"]] : [])),
  );
  const draft = (context?.["draft"] as JsonObject | null | undefined)?.["message"] as JsonObject | undefined;
  return withoutStored(
    stream,
    (id) => run.stepOfMessage(id) !== undefined || draft?.["id"] === id,
    (id) => running.has(id),
  );
}
