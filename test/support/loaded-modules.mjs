// Imports the module that its argument names, and writes the URLs of all modules that this loads as JSON.
import { registerHooks } from "node:module";

const urls = [];
registerHooks({
  load(url, context, nextLoad) {
    urls.push(url);
    return nextLoad(url, context);
  },
});
await import(process.argv[2]);
process.stdout.write(JSON.stringify(urls));
