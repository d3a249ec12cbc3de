import { createRoot } from "react-dom/client";
import { takeToken } from "../src/wire/token.ts";
import { App } from "./app.tsx";
import { NoToken } from "./no-token.tsx";

// Kept for all tabs, so that a link to a chat can be opened in a new one.
const token = takeToken("localStorage", "agentchart.dev.token");
createRoot(document.getElementById("root")!).render(
  token === undefined ? <NoToken /> : <App token={token} />,
);
