import { stuckFileCalls } from "../store/file-access.ts";

/** Ends the process with this code. `process.exit()` waits for every call of the operating system, so that a file system that hangs
 *  would keep the process for ever: then it is killed, after the listeners of the event `exit`. */
export function endProcess(code: number): never {
  if (stuckFileCalls() > 0) {
    process.emit("exit", code);
    process.kill(process.pid, "SIGKILL");
  }
  process.exit(code);
}
