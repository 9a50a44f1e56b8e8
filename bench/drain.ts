/** Does a server that is told to end lose a request? Twenty times SIGTERM under 2,000 requests a second, counted by the client. */
import { join } from "node:path";
import { tryDrain } from "../test/server/drain-try.ts";

const main = join(import.meta.dirname, "main.js");
const [tries = "20", rate = "2000", connections = "50"] = process.argv.slice(2);

console.log(`${rate} requests a second, half of them over HTTP, half over gRPC, on ${connections} connections each\n`);
console.log("try    sent over HTTP   whole    sent over gRPC   whole    ended within");
let lost = 0;
for (let at = 1; at <= Number(tries); at += 1) {
  // Not always at the same moment of a connection's life.
  const warmUp = 1000 + Math.floor(Math.random() * 1000);
  const outcome = await tryDrain({ main, rate: Number(rate) / 2, connections: Number(connections), warmUp });
  const { http, grpc, milliseconds } = outcome;
  const cells = [at, http.sent, http.whole, grpc.sent, grpc.whole];
  const widths = [3, 17, 8, 18, 8];
  console.log(
    `${cells.map((cell, column) => String(cell).padStart(widths[column] ?? 0)).join("")}${milliseconds.toFixed(0).padStart(13)} ms`,
  );
  for (const reason of new Set([...http.lost, ...grpc.lost])) console.log(`    lost: ${reason}`);
  if (outcome.exitCode !== 0) console.log(`    exit code ${outcome.exitCode}`);
  lost += http.lost.length + grpc.lost.length + (outcome.exitCode === 0 ? 0 : 1);
}
console.log(lost === 0 ? "\nnone was lost" : `\n${lost} lost`);
process.exitCode = lost === 0 ? 0 : 1;
