import { createRoot } from "react-dom/client";
import { listenToKeys } from "./keys/keys.ts";
import { App } from "./page/app.tsx";
import { syncTitle } from "./page/title.ts";
import { exposeForTests } from "./page/test-hooks.ts";
import { followGuide } from "./guide/sample-run.ts";
import { embeddedRun } from "./hand-on/page-file.ts";
import { acceptDrops, openEmbedded } from "./store/files.ts";
import { connect } from "./store/connect.ts";
import { model } from "./store/model.ts";
import { followAddress } from "./store/navigate.ts";
import { preferences } from "./store/preferences.ts";

model.view = preferences().view;
const run = embeddedRun();
if (run) {
  model.set({ connection: { kind: "noToken" } });
  void openEmbedded(run);
} else connect();
followGuide();
followAddress();
listenToKeys();
acceptDrops();
syncTitle();
exposeForTests();
createRoot(document.getElementById("root")!).render(<App />);
