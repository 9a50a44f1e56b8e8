/** What tests of several workers ask of them: what is decided, by whom, and what is counted. */
import { createServer, type AddressInfo } from "node:net";
import { readExposition } from "../src/exposition.ts";
import { connectTo, type Connection, type WorkerServer } from "./worker-server.ts";
import { eventually } from "./harness.ts";
import { request } from "./policies.ts";

export const checks = "/api/check/resources";

/** What is decided of `view`, or the status of an answer that decides nothing. */
export async function view(connection: Connection): Promise<string | undefined> {
  const { status, text } = await connection.ask(checks, request);
  return status === 200 ? /"view":"(\w+)"/.exec(text)?.[1] : `${status}`;
}

/** The worker that has taken a connection in, as the log of its calls says. */
export async function ownerOf(server: WorkerServer, connection: Connection): Promise<unknown> {
  const { authzCallId }: { readonly authzCallId: string } = JSON.parse((await connection.ask(checks, request)).text);
  return workerOf(server, authzCallId);
}

/** The worker that answered a call, as the log has it. */
export async function workerOf(server: WorkerServer, callId: string): Promise<unknown> {
  const [line] = await eventually(
    () => server.logged().filter((one) => one["authz.call_id"] === callId),
    (lines) => lines.length > 0,
  );
  return line?.["authz.worker"];
}

/** Asks over four connections of its own; a set of one is what all decide. */
export async function viewedByNew(server: WorkerServer): Promise<ReadonlySet<string | undefined>> {
  const fresh = Array.from({ length: 4 }, () => connectTo(server.http));
  const answers = await Promise.all(fresh.map((connection) => view(connection).catch(() => "refused")));
  for (const { close } of fresh) close();
  return new Set(answers);
}

/** A port that nobody listens at: after all workers have died, one that the system chooses is another one. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** What is counted, whoever is asked. */
export async function metric(server: WorkerServer, name: string, labels: Readonly<Record<string, string>> = {}): Promise<number> {
  const connection = connectTo(server.http);
  const { text } = await connection.ask("/_authz/metrics");
  connection.close();
  return readExposition(text).value(name, labels);
}

/** The messages of the log so far. */
export const saidBy = (server: WorkerServer): readonly string[] => server.logged().map((line) => String(line["message"]));
