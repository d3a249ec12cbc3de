// The next release of one of the faulty agents: it holds no session of an earlier one.
import faulty from "./faulty.ts";

export default {
  "pins in the next release": () => ({
    ...faulty["pins in the next release"](),
    sysPrompt: "You are the next release.",
    sessionOptions: { onChangedAgent: "pin" as const },
  }),
};
