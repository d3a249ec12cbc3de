import { DEFAULT_SETTINGS, type Settings } from "../../machines/agent/settings.ts";

/** The settings with which a session is read without an agent. None of them affects what is read. */
export const READER_SETTINGS: Settings = { ...DEFAULT_SETTINGS, agent: "", isDurable: true };
