/** Debug lines about HTTP exchanges on any path, and about events of the store. */
import { cut } from "../../runtime/cut.ts";
import type { HttpExchange, StoreEvent } from "./events.ts";
import { logOf, type Log } from "./log.ts";

/** The observers. */
export interface DebugLog {
  readonly http: (exchange: HttpExchange) => void;
  readonly store: (event: StoreEvent) => void;
}

/** Opens it; lines that are not written cost nothing. */
export function openDebugLog(parent: Log): DebugLog {
  const http = logOf(parent, "authz.http");
  const store = logOf(parent, "authz.store");
  return {
    http: ({ method, target, status, milliseconds, requestBytes, responseBytes }) => {
      if (!http.isLevelEnabled("debug")) return;
      const [path = ""] = target.split("?", 1);
      http.debug(
        {
          "http.request.method": method,
          "url.path": cut(path, longestPath),
          "http.response.status_code": status,
          "http.request.body.bytes": requestBytes,
          "http.response.body.bytes": responseBytes,
          "event.duration": Math.round(milliseconds * 1e6),
        },
        "an HTTP request was answered",
      );
    },
    store: (event) => {
      if (!store.isLevelEnabled("debug")) return;
      switch (event.kind) {
        case "polled":
          return store.debug("the store is asked whether anything is new");
        case "asked":
        case "answered":
          return; // one line per poll is enough
        case "bundle read":
          return store.debug(
            { "event.duration": Math.round(event.milliseconds * 1e6), "event.outcome": event.result },
            "the bundle was asked for",
          );
        case "bundle tried":
          return store.debug(
            { "event.duration": Math.round(event.milliseconds * 1e6), "event.outcome": event.result },
            "the bundle was tried in a process of its own",
          );
        case "passed":
          return store.debug({ "authz.compile_milliseconds": event.compileMilliseconds }, "policies did not compile for a moment");
        case "failed":
          return store.debug({ "authz.compile_milliseconds": event.compileMilliseconds }, "the store and the policies in force differ");
        case "loaded": {
          const { compileMilliseconds, policies, created, updated, deleted } = event;
          return store.debug(
            {
              "authz.compile_milliseconds": compileMilliseconds,
              "authz.policies": policies,
              "authz.changes": { created, updated, deleted },
            },
            "policies came into force",
          );
        }
      }
    },
  };
}

/** The most characters of a path that are logged: it is chosen by the client. */
const longestPath = 1024;
