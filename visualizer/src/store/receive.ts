import { readAddress, readComparison, readMany } from "../logic/address.ts";
import { foldStream, withoutStored } from "../logic/stream-text.ts";
import type { HubToPage, JsonObject, PendingItem } from "../wire/types.ts";
import { resendToProcesses, settleAck } from "./commands.ts";
import { fillMissing, loadChart, addChartAndLayOut, updateWorkers, AUTO_LOADED_STEPS } from "./load.ts";
import { model } from "./model.ts";
import { select } from "./navigate.ts";
import { notify } from "./notices.ts";
import { applyRows } from "./rows.ts";
import { RunData } from "./run-data.ts";
import { t } from "../words/t.ts";

/** Applies a message of the server. */
export function receive(message: HubToPage): void {
  const { runId } = model.selection;
  switch (message.type) {
    case "welcome":
      return;
    case "runs":
      applyRows(message.op, message.rows);
      resendToProcesses(message.rows);
      model.set({ isListed: true });
      if (runId === null) selectInitialRun();
      else if (model.row && !model.chart) void loadChart(model.row.chart);
      return;
    case "workers":
      updateWorkers(message);
      return;
    case "chart":
      addChartAndLayOut(message);
      return;
    case "steps":
      if (message.runId !== runId) return;
      if (model.run.isOld) model.run = new RunData();
      model.run.add(message);
      model.arrived({ isLoading: false, stream: remainingStream() });
      if (lacksSteps()) void fillMissing();
      return;
    case "stream":
      model.arrived({
        stream: foldStream(
          model.stream,
          message.items.filter((item) => item.runId === runId),
        ),
      });
      return;
    case "pending":
      if (message.runId === runId) updatePending(message);
      return;
    case "gap":
      if (message.runId === runId) void fillMissing(message.to);
      return;
    case "ack":
      settleAck(message);
  }
}

/** Selects the run of the address, else the one that changed last. */
function selectInitialRun(): void {
  const compare = readComparison(location.hash);
  if (compare) return void (model.compare ?? model.set({ compare }));
  const many = readMany(location.hash);
  if (many !== null) return void (model.many ?? model.set({ many }));
  const selection = readAddress(location.hash);
  const newest = [...model.rows.values()].toSorted((a, b) => b.updatedAt - a.updatedAt)[0];
  if (selection.runId !== null) select(selection, "replace");
  else if (newest) select({ runId: newest.runId, stepNumber: null }, "replace");
}

/**
 * Applies the open calls. A call that is no longer open was answered by this tab if it has sent a decision; else by another user, or
 * the turn ended or the time ran out, which is not known here.
 */
function updatePending({ items, exceeded }: Extract<HubToPage, { type: "pending" }>): void {
  const open = new Set(items.filter(isOpen).map(keyOf));
  for (const item of model.pending.items.filter(isOpen)) {
    const key = keyOf(item);
    if (open.has(key) || model.sent.has(key)) continue;
    const isDecided = items.some(({ callId }) => callId === item.callId);
    notify(
      "info",
      isDecided ? t`${item.name} was answered elsewhere.` : t`${item.name} no longer waits for a decision.`,
    );
  }
  const sent = new Map([...model.sent].filter(([key]) => !key.startsWith("call:") || open.has(key)));
  model.set({ pending: { items, ...(exceeded !== undefined && { exceeded }) }, sent });
}

const isOpen = ({ decided }: PendingItem): boolean => decided === undefined;
const keyOf = ({ callId }: PendingItem): string => `call:${callId}`;

/** True if steps are missing that are recent enough to be loaded automatically. */
function lacksSteps(): boolean {
  const { first, last, wholeFrom } = model.run;
  return wholeFrom > first && wholeFrom > last - AUTO_LOADED_STEPS;
}

/** Removes streamed text that has arrived in the context. */
function remainingStream(): typeof model.stream {
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
