import { useCallback, useEffect, useState } from "react";
import type { DevInfo } from "../../src/cli/dev/dev-state.ts";
import { followServer, listChats, type Chat } from "./server.ts";

/** What the page knows of the server. */
export type Server = {
  /** Undefined before the first answer. */
  readonly info: DevInfo | undefined;
  readonly isConnected: boolean;
  readonly isRefused: boolean;
  readonly chats: readonly Chat[];
  /** Reads the list of chats again. */
  readonly refresh: () => void;
};

/** Follows the server, and lists its chats. */
export function useServer(token: string): Server {
  const [info, setInfo] = useState<DevInfo>();
  const [isConnected, setConnected] = useState(false);
  const [isRefused, setRefused] = useState(false);
  const [chats, setChats] = useState<readonly Chat[]>([]);
  const refresh = useCallback(() => {
    listChats(token).then(setChats, () => {}); // the connection says that it is lost
  }, [token]);
  useEffect(() => {
    const left = new AbortController();
    const onInfo = (now: DevInfo): void => {
      setInfo(now);
      setConnected(true);
      refresh();
    };
    const listener = { onInfo, onLost: () => setConnected(false), onRefused: () => setRefused(true) };
    void followServer(token, listener, left.signal);
    addEventListener("focus", refresh);
    return () => {
      left.abort();
      removeEventListener("focus", refresh);
    };
  }, [token, refresh]);
  return { info, isConnected, isRefused, chats, refresh };
}
