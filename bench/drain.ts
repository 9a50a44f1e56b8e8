/** Does a server that is told to end lose a request? Twenty times SIGTERM under 2,000 requests a second, counted by the client. */
import { join } from "node:path";
import { tryDrain } from "../test/server/drain-try.ts";
import { isQuick, numberOf } from "./tell/flags.ts";
import { report, table } from "./tell/report.ts";

const main = join(import.meta.dirname, "main.js");
const tries = numberOf("tries", isQuick ? 1 : 20);
/** Requests a second, half of them over HTTP, half over gRPC, and connections over each. */
const rate = numberOf("rate", isQuick ? 200 : 2000);
const connections = numberOf("connections", isQuick ? 5 : 50);
const workers = numberOf("workers", 1);
/** Answers before SIGTERM: not always at the same moment of a connection's life. */
const warmUp = (): number => (isQuick ? 50 : 1000) + Math.floor(Math.random() * (isQuick ? 50 : 1000));

const outcomes = [];
for (let at = 0; at < tries; at++) outcomes.push(await tryDrain({ main, rate: rate / 2, connections, warmUp: warmUp(), workers }));

const rows = outcomes.map(({ http, grpc, milliseconds }, at) =>
  [at + 1, http.sent, http.whole, grpc.sent, grpc.whole, `${milliseconds.toFixed(0)} ms`].map(String),
);
const lost = outcomes.flatMap(({ http, grpc }) => [...http.lost, ...grpc.lost]);
const failed = outcomes.filter(({ exitCode }) => exitCode !== 0).map(({ exitCode }) => `exit code ${exitCode}`);
report({
  bench: "drain",
  figures: { rate, connections, workers, outcomes },
  text: [
    `${rate} requests a second, half of them over HTTP, half over gRPC, on ${connections} connections each; ${workers} ${workers === 1 ? "worker" : "workers"}\n`,
    table(["try", "sent over HTTP", "whole", "sent over gRPC", "whole", "ended within"], rows),
    ...new Set([...lost, ...failed]),
    "",
  ].join("\n"),
  goals: [
    { name: "requests lost", found: lost.length, most: 0 },
    { name: "servers that did not end with 0", found: failed.length, most: 0 },
  ],
});
