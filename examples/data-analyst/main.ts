import { runDemo } from "./demo/run-demo.ts";

// A reader such as `head` that has seen enough is not a failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(0);
});

process.exitCode = await runDemo(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  onInterrupt: (listener) => {
    process.on("SIGINT", listener);
    return () => process.off("SIGINT", listener);
  },
  exit: (code) => process.exit(code),
});
