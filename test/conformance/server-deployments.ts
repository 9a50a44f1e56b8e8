/** The servers of the area `server`: two deployments, each in the clear, over TLS and over socket files. */
import { hashSync } from "bcryptjs";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import { loadConfig } from "../../src/config/load.ts";
import { printProblem } from "../../src/config/problem.ts";
import { logTo } from "../../src/observe/log.ts";
import { startServer } from "../../src/server/start/start.ts";
import { makeAuthority } from "../server/certificates.ts";
import { grpcChannel, httpChannel, type Channel } from "../server/channels.ts";

/** What the data calls a deployment: policies in a folder, or a database that begins empty. */
export type DeploymentName = "disk" | "admin";

/** A deployment that runs. */
export interface Deployment {
  readonly channels: readonly Channel[];
  readonly authorization: string | undefined;
  readonly close: () => Promise<void>;
}

const password = "a password: with colons";

/** Starts a deployment, once for each way to reach it. */
export async function startDeployment(name: DeploymentName, folder: string): Promise<Deployment> {
  const ours = mkdtempSync(join(tmpdir(), "authz-conformance-"));
  const authority = makeAuthority();
  const pair = authority.issue({ names: ["localhost", "127.0.0.1"] });
  writeFileSync(join(ours, "cert.pem"), pair.certificate);
  writeFileSync(join(ours, "key.pem"), pair.key, { mode: 0o600 });

  const local = { httpListenAddr: "127.0.0.1:0", grpcListenAddr: "127.0.0.1:0" };
  const forms = [
    { form: "tcp", server: local },
    { form: "tls", server: { ...local, tls: { cert: join(ours, "cert.pem"), key: join(ours, "key.pem") } }, trusts: authority.certificate },
    { form: "unix", server: { httpListenAddr: `unix:${join(ours, "http.sock")}`, grpcListenAddr: `unix:${join(ours, "grpc.sock")}` } },
  ];
  const running = await Promise.all(
    forms.map(async ({ form, server, trusts }) => {
      const file = join(ours, `${form}.yaml`);
      writeFileSync(file, configuration(name, folder, server));
      const { config, problems } = loadConfig(file, [], {});
      if (config === undefined) throw new Error(problems.map(printProblem).join("\n"));
      const started = await startServer(config, logTo({ write: () => undefined }, "error"));
      return {
        started,
        channels: [
          httpChannel(`${name}, HTTP, ${form}`, started.http, trusts),
          grpcChannel(`${name}, gRPC, ${form}`, started.grpc, trusts),
          grpcChannel(`${name}, gRPC on the HTTP port, ${form}`, started.http, trusts),
        ],
      };
    }),
  );
  const channels = running.flatMap((each) => each.channels);
  return {
    channels,
    authorization: name === "admin" ? `Basic ${Buffer.from(`authz:${password}`).toString("base64")}` : undefined,
    close: async () => {
      for (const channel of channels) channel.close();
      await Promise.all(running.map(({ started }) => started.stop()));
      rmSync(ours, { recursive: true, force: true });
    },
  };
}

/** As the data's README says of its deployments. */
function configuration(name: DeploymentName, folder: string, server: object): string {
  const admin = { enabled: true, adminCredentials: { passwordHash: Buffer.from(hashSync(password, 4)).toString("base64") } };
  return stringify({
    server: {
      ...server,
      requestLimits: { maxActionsPerResource: 5, maxResourcesPerRequest: 5 },
      ...(name === "admin" && { adminAPI: admin }),
    },
    schema: { enforcement: "reject" },
    auxData: { jwt: { keySets: [{ id: "default", local: { file: join(folder, "auxdata/keys/verify_key.jwk") } }] } },
    storage:
      name === "disk" ? { driver: "disk", disk: { directory: join(folder, "store") } } : { driver: "sqlite", sqlite: { path: ":memory:" } },
  });
}
