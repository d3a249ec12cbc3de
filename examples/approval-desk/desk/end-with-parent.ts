// Loaded before a worker: the worker ends when the desk has ended, however that happened.
process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
