/** Replies worth compressing are, for those who ask. */
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chooseEncoding, minCompressed } from "../../src/server/http/compression.ts";
import { startServer, type TestServer } from "./harness.ts";
import { expensePolicy, request } from "./policies.ts";
import { sendRaw, type RawAnswer } from "./raw-http.ts";

test.each([
  [undefined, undefined],
  ["", undefined],
  ["identity", undefined],
  ["gzip", "gzip"],
  ["GZIP", "gzip"],
  ["br", "br"],
  ["gzip, deflate, br", "br"],
  ["gzip;q=1.0, br;q=0.5", "gzip"],
  ["gzip;q=0", undefined],
  ["gzip;q=0, br;q=0.1", "br"],
  ["*", "br"],
  ["*;q=0", undefined],
  ["*, br;q=0", "gzip"],
  ["gzip;q=2", undefined],
  ["gzip;q=x", undefined],
  ["deflate, zstd", undefined],
] as const)("who accepts %j reads %s", (accepted, chosen) => {
  expect(chooseEncoding(accepted)).toBe(chosen);
});

describe("a server", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({ policies: { "expense.yaml": expensePolicy } });
  });
  afterAll(() => server.stop());

  const check = (count: number, accepted?: string, requestId = "r"): Promise<RawAnswer> =>
    sendRaw(server.http, {
      method: "POST",
      path: "/api/check/resources",
      headers: { "content-type": "application/json", ...(accepted !== undefined && { "accept-encoding": accepted }) },
      body: JSON.stringify({ ...request, requestId, resources: Array.from({ length: count }, () => request.resources[0]) }),
    });
  /** With it an answer is worth compressing. */
  const long = "r".repeat(minCompressed);
  const kept = (text: string): string => text.replace(/"authzCallId":"\w+"/, "");

  test("sends the same reply in fewer bytes", async () => {
    const plain = await check(30, undefined, long);
    expect([plain.headers["content-encoding"], plain.headers["vary"]]).toEqual([undefined, "Origin, Accept-Encoding"]);
    const unpack = { gzip: gunzipSync, br: brotliDecompressSync } as const;
    for (const encoding of ["gzip", "br"] as const) {
      const packed = await check(30, encoding, long);
      expect([packed.headers["content-encoding"], packed.headers["vary"]]).toEqual([encoding, "Origin, Accept-Encoding"]);
      expect(packed.headers["content-length"]).toBe(String(packed.bytes.length));
      expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 4);
      expect(kept(unpack[encoding](packed.bytes).toString("utf8"))).toBe(kept(plain.body));
    }
  });

  test.each([1, 30])("leaves the reply about %i resources as it is, which is there at once", async (count) => {
    const { headers, body } = await check(count, "gzip, br");
    expect([headers["content-encoding"], headers["vary"], JSON.parse(body).requestId]).toEqual([undefined, "Origin", "r"]);
  });

  test("compresses the description of the API, and says how long it is without sending it", async () => {
    const path = "/schema/swagger.json";
    const whole = await sendRaw(server.http, { method: "GET", path, headers: { "accept-encoding": "gzip" } });
    const head = await sendRaw(server.http, { method: "HEAD", path, headers: { "accept-encoding": "gzip" } });
    expect(JSON.parse(gunzipSync(whole.bytes).toString("utf8")).swagger).toBe("2.0");
    expect([head.bytes.length, head.headers["content-length"], head.headers["content-encoding"]]).toEqual([
      0,
      whole.headers["content-length"],
      "gzip",
    ]);
  });
});
