import { join } from "node:path";
import { secretIn, writeNew } from "../secret-file.ts";

/** The location of the sessions and the token of a project that `agentchart dev` stores, below the current folder. */
export const DEV_FOLDER = ".agentchart";

/** Creates the folder if it is missing. What is in it does not belong into version control. */
export const openDevFolder = (): void => writeNew(join(DEV_FOLDER, ".gitignore"), "*\n");

/** The token of the project: made once, so that a page that is open works on after the command was started again. */
export const devToken = (): string => secretIn(join(DEV_FOLDER, "token"), 24);
