// A server that ends idle connections may end one just when a client in the same busy process uses it again: none does here.
import { channel } from "node:diagnostics_channel";
import type { Server } from "node:http";

const requests = channel("http.server.request.start");
if (!requests.hasSubscribers)
  requests.subscribe(
    (message) => void ((message as { readonly server: Server }).server.keepAliveTimeout = 0),
  );
