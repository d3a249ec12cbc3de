// Threads that a test starts, as those of the explorer, load modules by Node itself and not by Vitest.
import { registerHooks } from "node:module";
import { pathToFileURL } from "node:url";
import { isMainThread } from "node:worker_threads";
import { standIn } from "./overlay.mjs";

if (!isMainThread)
  registerHooks({
    resolve(source, context, next) {
      const stand = standIn(source, context.parentURL);
      return next(stand ? pathToFileURL(stand).href : source, context);
    },
  });
