/** Every case of `golden/decide` holds over HTTP and over gRPC, as far as the wire can ask it and shows it. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startServer, temporaryFolder, type TestServer } from "../server/harness.ts";
import { fromClient, openClient, toClient, type StockClient } from "../server/stock-client.ts";
import { decideFolders } from "./cases.ts";
import type { Case } from "./cases.ts";
import { expectResult } from "./expected.ts";
import { configurationOf } from "./settings.ts";
import { sentAuxData } from "./tokens.ts";

test.each(decideFolders())("golden/decide/$name", async ({ policies, cases }) => {
  const overTheWire = cases.filter(({ settings }) => settings.now === undefined);
  const configurations = new Set(overTheWire.map(({ settings }) => configurationOf(settings)));
  for (const configuration of configurations) {
    const folder = temporaryFolder({ "authz.json": configuration });
    const server = await startServer({ policies, file: join(folder, "authz.json") });
    const client = openClient(server.grpc, "authz.svc.v1.AuthzService");
    try {
      for (const each of overTheWire) if (configurationOf(each.settings) === configuration) await ask(each, server, client);
    } finally {
      client.close();
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  }
});

async function ask(each: Case, server: TestServer, client: StockClient): Promise<void> {
  const { it, principal, asked } = each;
  const auxData = sentAuxData(each);
  const resources = asked.map(({ resource, actions }) => ({ resource, actions }));
  const body = { requestId: it, includeMeta: true, principal, resources, ...(auxData !== undefined && { auxData }) };

  const http = await server.post("/api/check/resources", body);
  expect([it, http.status, http.json.message]).toEqual([it, 200, undefined]);
  for (const [index, { decision }] of asked.entries()) {
    const result = http.json.results[index];
    if (result === undefined) throw new Error(`${it}: no result ${index + 1}`);
    expectResult(result, decision);
  }

  const grpc = await client.call("checkResources", toClient(body));
  expect(grpc.code).toBe(0);
  expect(fromClient(grpc.reply).results).toEqual(http.json.results);
}
