/** Mutes the warnings of Node about loading a .ts file, which a user of `--tools` cannot act on, in this thread. */
export function muteWarnings(): void {
  const listeners = process.listeners("warning");
  process.removeAllListeners("warning");
  process.on("warning", (warning) => {
    const { code } = warning as { readonly code?: unknown };
    if (warning.name === "ExperimentalWarning" || code === "MODULE_TYPELESS_PACKAGE_JSON") return;
    for (const listener of listeners) listener(warning);
  });
}
