/**
 * The process that runs SQL, so that the asking process can kill a statement that does not end. Reads one request as
 * JSON from stdin and writes one JSON value per line.
 */
import { readFileSync, writeSync } from "node:fs";
import { answerRequest } from "./answer-request.ts";
import type { ChildLine, ChildRequest } from "./child-protocol.ts";

function send(line: ChildLine): void {
  const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
  for (let sent = 0; sent < bytes.length;) {
    try {
      sent += writeSync(1, bytes, sent);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}

answerRequest(JSON.parse(readFileSync(0, "utf8")) as ChildRequest, send);
