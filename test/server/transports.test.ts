/** One contract, two transports: the same request gets the same answer over HTTP and over gRPC. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { startServer, type TestServer } from "./harness.ts";
import { expensePolicy } from "./policies.ts";
import { fromClient, openClient, toClient } from "./stock-client.ts";

let server: TestServer;
let authz: ReturnType<typeof openClient>;
beforeAll(async () => {
  server = await startServer({ policies: { "expense.yaml": expensePolicy } });
  authz = openClient(server.grpc, "authz.svc.v1.AuthzService");
});
afterAll(async () => {
  authz.close();
  await server.stop();
});

const principal = { id: "ann", roles: ["user", "manager"] };
const resource = { kind: "expense", id: "e1", attr: { amount: 500 } };
const entry = { actions: ["view", "approve"], resource };

test.each([
  ["an answer", { requestId: "r", principal, resources: [entry] }],
  ["several resources", { principal, resources: [entry, { actions: ["view"], resource: { kind: "other", id: "2" } }, entry] }],
  ["the policies that decided", { principal, resources: [entry], includeMeta: true }],
  [
    "versions and scopes",
    {
      principal: { ...principal, policyVersion: "v2", scope: "a.b" },
      resources: [{ ...entry, resource: { ...resource, policyVersion: "v2", scope: "a.b" } }],
    },
  ],
  [
    "attributes of every kind",
    {
      principal: {
        ...principal,
        attr: { s: 'ü\u{1F600}\u0000"\\', n: -1.5e300, z: 0, b: false, x: null, l: [1, [], {}], m: { a: { b: "c" } }, "": undefined },
      },
      resources: [entry],
    },
  ],
  ["actions of any spelling", { principal, resources: [{ actions: [" ", "view:*", "ü", "10", "2"], resource }] }],
  ["a request's own words", { principal, resources: [entry], requestContext: { annotations: { app: "x", n: 1 } } }],
  ["nothing asked", {}],
  [
    "everything wrong at once",
    { principal: { roles: ["a", "a", ""], scope: "a..b" }, resources: [{ actions: ["a", "a"] }, { resource: { id: "1" } }] },
  ],
  ["too many actions", { principal, resources: [{ actions: Array.from({ length: 51 }, (_, at) => `a${at}`), resource }] }],
  ["too many resources", { principal, resources: Array.from({ length: 51 }, () => entry) }],
  ["a token without key sets", { principal, resources: [entry], auxData: { jwt: { token: "x" } } }],
])("%s", async (_sentence, request) => {
  const http = await server.post("/api/check/resources", request);
  const grpc = await authz.call("checkResources", toClient(JSON.parse(JSON.stringify(request))));
  if (http.status === 200) {
    expect(grpc.code).toBe(0);
    expect({ ...fromClient(grpc.reply), authzCallId: "" }).toEqual({ ...http.json, authzCallId: "" });
  } else {
    expect([grpc.code, grpc.message]).toEqual([http.json.code, http.json.message]);
  }
});
