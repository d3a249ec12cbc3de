import { Api } from "../wire/api.ts";
import { Connection } from "../wire/connection.ts";
import { takeToken } from "../wire/token.ts";
import { client } from "./client.ts";
import { resendWaiting, refuseWaiting } from "./commands.ts";
import { loadRuns } from "./load.ts";
import { model } from "./model.ts";
import { subscribe } from "./navigate.ts";
import { receive } from "./receive.ts";
import { loseProcesses } from "./rows.ts";
import { forgetSteps } from "./whole-run.ts";

/** Connects to the server with the token of the link. */
export function connect(): void {
  const token = takeToken();
  if (token === undefined) {
    model.set({ connection: { kind: "noToken" } });
    return;
  }
  client.api = new Api(token);
  const address = new URL("/ws", location.href);
  address.protocol = address.protocol.replace("http", "ws");
  client.connection = new Connection(address.href, token, {
    open: ({ hub, version, readonly }) => {
      model.set({ connection: { kind: "open", version, readonly }, unknownCharts: new Set() });
      if (model.hub !== undefined && model.hub !== hub) distrust();
      model.hub = hub;
      subscribe();
      resendWaiting();
      void loadRuns().then(() => model.set({ isListed: true }));
    },
    message: receive,
    lost: onConnectionLost,
    refused: (reason, serverVersion) => {
      model.set({
        connection: reason === "token" ? { kind: "badToken" } : { kind: "version", serverVersion },
      });
      refuseWaiting();
    },
  });
  client.connection.connect();
}

/** Takes what another server has told for old: who drives a run is unknown until this one says it, and steps may have other numbers. */
function distrust(): void {
  loseProcesses();
  forgetSteps();
  model.run.isOld = true;
}

function onConnectionLost(retryAt: number): void {
  const { connection } = model;
  if (connection.kind === "open") model.set({ connection: { kind: "lost", since: Date.now(), retryAt } });
  else if (connection.kind === "lost") model.set({ connection: { ...connection, retryAt } });
  else model.set({ connection: { kind: "unreachable", retryAt } });
}
