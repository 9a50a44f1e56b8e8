/** Loaded into a server before its own program (`node --import`): tells whoever connects to a socket file what is alive in the process. */
import { createServer } from "node:net";

createServer((socket) => {
  globalThis.gc?.();
  const resources = {};
  for (const kind of process.getActiveResourcesInfo()) resources[kind] = (resources[kind] ?? 0) + 1;
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  socket.on("error", () => undefined).end(JSON.stringify({ heapUsed, external, arrayBuffers, resources }));
})
  .on("error", () => undefined)
  .listen(`${process.env["AUTHZ_BENCH_INSIDE"]}-${process.pid}`)
  .unref();
