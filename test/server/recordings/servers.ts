/** The four servers that were recorded, set up again: the same policies, schemas, keys and settings, in our names. */
import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { hashSync } from "bcryptjs";
import { startServer, temporaryFolder, type TestServer } from "../harness.ts";
import { exchangesOf, type Exchange } from "./exchanges.ts";

/** The keys that tokens are signed with again: the recorded ones cannot be had. */
export interface Keys {
  readonly elliptic: KeyObject;
  readonly rsa: KeyObject;
}

/** The servers by their letters. */
export interface Servers {
  readonly keys: Keys;
  readonly of: (setup: string) => TestServer;
  readonly stop: () => Promise<void>;
}

/** Starts them all; `kid` is the id of the recorded elliptic key. */
export async function startServers(kid: string): Promise<Servers> {
  const elliptic = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const jwk = JSON.stringify({ ...elliptic.publicKey.export({ format: "jwk" }), kid, alg: "ES256", use: "sig" });
  const pem = rsa.publicKey.export({ format: "pem", type: "spki" }).toString();
  const first = { id: "ks1", local: { data: base64(jwk) } };
  const second = { id: "rsa", local: { data: base64(pem), pem: true }, insecure: { optionalAlg: true, optionalKid: true } };

  const folder = temporaryFolder({});
  const disk = (): string => temporaryFolder(files());
  const start = (name: string, config: object, policies = disk()): Promise<TestServer> => {
    const file = join(folder, `${name}.yaml`);
    writeFileSync(file, JSON.stringify(config));
    return startServer({ policies, file, settings: { "storage.disk.watchForChanges": name === "c" } });
  };
  const admin = (username: string, password: string): object => ({
    enabled: true,
    adminCredentials: { username, passwordHash: base64(hashSync(password, 4)) },
  });
  const servers = new Map([
    ["a", await start("a", { auxData: { jwt: { keySets: [first, second] } } })],
    [
      "b",
      await start("b", {
        server: { adminAPI: admin("authz", "authzAdmin") },
        storage: { driver: "sqlite3", sqlite3: { dsn: `file:${join(folder, "b.db")}` } },
        schema: { enforcement: "warn" },
        auxData: { jwt: { keySets: [first] } },
        audit: { enabled: true, backend: "local", local: { storagePath: join(folder, "audit"), advanced: { flushInterval: "1s" } } },
      }),
    ],
    [
      "c",
      await start("c", {
        server: { adminAPI: admin("boss", "s3cret"), logRequestPayloads: true },
        schema: { enforcement: "reject" },
        audit: { enabled: true, backend: "file", file: { path: join(folder, "audit.log") } },
      }),
    ],
    [
      "d",
      await start("d", {
        server: {
          metricsEnabled: false,
          apiExplorerEnabled: false,
          cors: { allowedOrigins: ["https://app.example.com"], maxAge: "10s" },
          requestLimits: { maxActionsPerResource: 2, maxResourcesPerRequest: 2 },
          advanced: { grpc: { maxRecvMsgSizeBytes: 2000 } },
        },
      }),
    ],
  ]);
  return {
    keys: { elliptic: elliptic.privateKey, rsa: rsa.privateKey },
    of: (setup) => {
      const server = servers.get(setup.slice(0, 1));
      if (server === undefined) throw new Error(`no server ${setup}`);
      return server;
    },
    stop: async () => void (await Promise.all([...servers.values()].map((server) => server.stop()))),
  };
}

/** What the recorded folders called the policies, in the order in which they were stored elsewhere. */
const fileNames = ["derived.yaml", "album.yaml", "album_acme.yaml", "doc.yaml", "prin.yaml"];

/** The files of the recorded folders, taken from the calls that stored the same policies and schemas elsewhere. */
function files(): { readonly [path: string]: string } {
  const bodyOf = (file: string, name: string): unknown => {
    const found = exchangesOf(file).find((exchange: Exchange) => exchange.name === `${file}/${name}`);
    return JSON.parse(found?.request.body ?? "");
  };
  const policies = ["add_derived", "add_many"].flatMap((name) => {
    const { policies: each } = bodyOf("admin_policies_http", name) as { readonly policies: readonly unknown[] };
    return each.map((policy) => JSON.stringify(policy));
  });
  const schemas = ["schema_add_base64", "schema_put"].flatMap((name) => {
    const { schemas: each } = bodyOf("admin_http", name) as { readonly schemas: readonly { id: string; definition: string }[] };
    return each.map(({ id, definition }) => [`_schemas/${id}`, Buffer.from(definition, "base64").toString("utf8")] as const);
  });
  return Object.fromEntries([...policies.map((text, index) => [fileNames[index] ?? "", text] as const), ...schemas]);
}

const base64 = (text: string): string => Buffer.from(text).toString("base64");
