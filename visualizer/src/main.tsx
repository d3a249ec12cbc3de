import { createRoot } from "react-dom/client";
import { listenToKeys } from "./keys/keys.ts";
import { App } from "./page/app.tsx";
import { keepTitle } from "./page/title.ts";
import { showToTests } from "./page/for-tests.ts";
import { acceptDrops } from "./store/files.ts";
import { start } from "./store/hub.ts";
import { followAddress } from "./store/navigate.ts";

start();
followAddress();
listenToKeys();
acceptDrops();
keepTitle();
showToTests();
createRoot(document.getElementById("root")!).render(<App />);
