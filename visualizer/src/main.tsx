import { createRoot } from "react-dom/client";
import { listenToKeys } from "./keys/keys.ts";
import { App } from "./page/app.tsx";
import { syncTitle } from "./page/title.ts";
import { exposeForTests } from "./page/test-hooks.ts";
import { acceptDrops } from "./store/files.ts";
import { connect } from "./store/connect.ts";
import { followAddress } from "./store/navigate.ts";

connect();
followAddress();
listenToKeys();
acceptDrops();
syncTitle();
exposeForTests();
createRoot(document.getElementById("root")!).render(<App />);
