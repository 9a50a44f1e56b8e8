/** Loaded into every process of a server under test: told SIGUSR2, it collects what is garbage and writes down what is left. */
import { EventEmitter } from "node:events";
import { renameSync, writeFileSync } from "node:fs";
import { Duplex } from "node:stream";
import { queryObjects, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { isMainThread } from "node:worker_threads";

if (isMainThread) {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc");
  process.on("SIGUSR2", () => {
    // What is ended in this turn of the event loop is garbage only after it.
    setImmediate(() => {
      collect();
      const file = `${process.env.AUTHZ_FRAMES_FOLDER}/${process.pid}`;
      const left = {
        heapBytes: process.memoryUsage().heapUsed,
        duplexes: queryObjects(Duplex, { format: "count" }),
        emitters: queryObjects(EventEmitter, { format: "count" }),
        resources: process.getActiveResourcesInfo().toSorted().join(" "),
      };
      writeFileSync(`${file}.new`, JSON.stringify(left));
      renameSync(`${file}.new`, file);
    });
  });
}
