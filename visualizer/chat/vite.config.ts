import { pageConfig } from "../page-config.ts";

export default pageConfig({ root: import.meta.dirname, outDir: "../../dist/chat", name: "chat" });
