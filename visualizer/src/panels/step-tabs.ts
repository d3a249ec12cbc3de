// The tabs that explain the displayed step. They are loaded together, after the first picture.
export { ContextTab } from "./context-tab.tsx";
export { DiffTab } from "./diff-tab.tsx";
export { EventTab } from "./event-tab.tsx";
export { RawTab } from "./raw-tab.tsx";
export { TokensTab } from "./tokens-tab.tsx";
