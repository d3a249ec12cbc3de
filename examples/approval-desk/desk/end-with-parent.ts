// Loaded before a worker: whatever becomes of the desk, its workers do not outlive it.
process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
