import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { folderWorkspace } from "../../kit/workspace/folder-workspace.ts";
import { errorMessage } from "../error-message.ts";
import { missing, ok, type Check } from "./check.ts";

/** Opens a workspace, which tries its sandbox, in an empty folder. */
export const sandboxCheck: Check = {
  name: "sandbox",
  async run({ flags: { sandbox: isNeeded } }) {
    const root = await mkdtemp(join(tmpdir(), "agentchart-doctor-"));
    try {
      await (await folderWorkspace({ root })).close();
      return [ok("sandbox", "bubblewrap makes sandboxes for commands of workspaces", isNeeded)];
    } catch (thrown) {
      return [missing("sandbox", errorMessage(thrown).replace("folderWorkspace: ", ""), isNeeded)];
    } finally {
      await rm(root, { recursive: true, force: true });
    }
  },
};
