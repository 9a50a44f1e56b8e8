/** What operators install, read as their tools would: only settings, commands, routes and metrics that exist. */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { loadConfig } from "../../src/config/load.ts";
import { eventually, startServer, temporaryFolder, type TestServer } from "../server/harness.ts";
import { runProgram, startProgram } from "../server/process.ts";
import { openClient } from "../server/stock-client.ts";

const root = join(import.meta.dirname, "../..");
const deploy = join(root, "deploy");
const read = (path: string): string => readFileSync(join(deploy, path), "utf8");
const main = join(root, "dist/main.js");

/** Everything that a YAML file holds, as plain data of a form that the case knows. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the case says what it expects to find
const documents = <T>(path: string): readonly T[] =>
  parseAllDocuments(read(path)).map((document) => {
    expect(document.errors).toEqual([]);
    return document.toJS() as T;
  });

interface Container {
  readonly image: string;
  readonly args: readonly string[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
  readonly securityContext: { readonly readOnlyRootFilesystem: boolean };
  readonly [probe: `${string}Probe`]: { readonly httpGet: { readonly path: string; readonly port: string } };
}

interface Deployment {
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly terminationGracePeriodSeconds: number;
        readonly securityContext: { readonly runAsNonRoot: boolean; readonly runAsUser: number; readonly fsGroupChangePolicy: string };
        readonly containers: readonly [Container];
        readonly volumes: readonly { readonly name: string; readonly configMap: { readonly name: string } }[];
      };
    };
  };
}

let server: TestServer;
let shown: ReadonlySet<string>;
beforeAll(async () => {
  server = await startServer({ policies: join(deploy, "kubernetes/policies") });
  const { text } = await server.get("/_authz/metrics");
  shown = new Set(
    [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name = "", type]) => [name, ...(type === "histogram" ? parts(name) : [])]),
  );
});
afterAll(() => server.stop());

const parts = (histogram: string): readonly string[] => ["_bucket", "_sum", "_count"].map((part) => histogram + part);

describe("kubernetes", () => {
  const [deployment] = documents<Deployment>("kubernetes/deployment.yaml");
  const pod = deployment?.spec.template.spec;
  const container = pod?.containers[0];
  const { config, problems } = loadConfig(join(deploy, "kubernetes/authz.yaml"), [], {});

  test("has a configuration without a problem, on the ports of the container", () => {
    expect(problems).toEqual([]);
    const ports = [config?.["server.httpListenAddr"], config?.["server.grpcListenAddr"]].map((at) => (at?.kind === "tcp" ? at.port : 0));
    expect(container?.ports.map(({ containerPort }) => containerPort)).toEqual(ports);
  });

  test("mounts what the configuration names", () => {
    const mounted = container?.volumeMounts.map(({ mountPath }) => mountPath);
    expect(mounted).toContain(config?.["storage.disk.directory"]);
    expect(container?.args).toEqual(["server", "--config=/configuration/authz.yaml"]);
    expect(mounted).toContain("/configuration");
    const [kustomization] = documents<{
      readonly configMapGenerator: readonly { readonly name: string; readonly files: readonly string[] }[];
    }>("kubernetes/kustomization.yaml");
    expect(pod?.volumes.map(({ configMap }) => configMap.name)).toEqual(kustomization?.configMapGenerator.map(({ name }) => name));
    const files = kustomization?.configMapGenerator.flatMap((map) => map.files) ?? [];
    expect(files.filter((file) => !existsSync(join(deploy, "kubernetes", file)))).toEqual([]);
  });

  test("takes the image from where its operator has put it", () => {
    const [kustomization] = documents<{ readonly images: readonly { readonly name: string; readonly newName: string }[] }>(
      "kubernetes/kustomization.yaml",
    );
    // A name without a host would be fetched from Docker Hub, where somebody else may have it.
    expect(kustomization?.images).toMatchObject([{ name: container?.image, newName: expect.stringMatching(/^[a-z.]+\.[a-z]+\//) }]);
  });

  test("lists every file of the folder", () => {
    const [kustomization] = documents<{ readonly resources: readonly string[] }>("kubernetes/kustomization.yaml");
    const others = readdirSync(join(deploy, "kubernetes")).filter(
      (name) => name.endsWith(".yaml") && name !== "authz.yaml" && name !== "kustomization.yaml",
    );
    expect([...(kustomization?.resources ?? [])].toSorted()).toEqual(others.toSorted());
    for (const file of others)
      expect(documents<{ readonly kind?: string }>(`kubernetes/${file}`).every(({ kind }) => kind !== undefined)).toBe(true);
  });

  test.each(["startupProbe", "readinessProbe", "livenessProbe"] as const)("%s asks what the server answers", async (probe) => {
    const { path = "", port } = container?.[probe]?.httpGet ?? {};
    expect(port).toBe("http");
    expect((await server.get(path)).status).toBe(200);
  });

  test("gives no rights, and time to finish", () => {
    // With `Always`, the folder of a copy on a persistent volume becomes writable for the group, and the second start refuses it.
    expect(pod?.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 10001, fsGroupChangePolicy: "OnRootMismatch" });
    expect(container?.securityContext).toMatchObject({
      readOnlyRootFilesystem: true,
      allowPrivilegeEscalation: false,
      capabilities: { drop: ["ALL"] },
    });
    expect((pod?.terminationGracePeriodSeconds ?? 0) * 1000).toBeGreaterThan(config?.["server.shutdownTimeout"] ?? 0);
  });

  test("has policies that compile", async () => {
    expect((await runProgram(["compile", join(deploy, "kubernetes/policies")])).code).toBe(0);
  });
});

describe("the image", () => {
  const instructions = read("docker/Dockerfile")
    .replaceAll(/\\\n\s*/g, "")
    .split("\n")
    .filter((line) => /^[A-Z]+ /.test(line));
  const last = (name: string): string => instructions.findLast((line) => line.startsWith(`${name} `))?.slice(name.length + 1) ?? "";

  test("runs as nobody in particular", () => expect(last("USER")).toBe("10001:10001"));

  test("copies what there is", () => {
    const fromHere = instructions
      .filter((line) => line.startsWith("COPY ") && !line.includes("--from"))
      .flatMap((line) => line.split(" ").slice(1, -1));
    expect(fromHere.filter((file) => !existsSync(join(root, file)))).toEqual([]);
    const fromBuild = instructions.filter((line) => line.startsWith("COPY --from")).flatMap((line) => line.split(" ").slice(2, -1));
    expect(fromBuild.filter((file) => !existsSync(join(root, file.replace("/build/", ""))))).toEqual([]);
  });

  test("asks for its health with a command line that there is", async () => {
    const [, , ...argv] = JSON.parse(last("HEALTHCHECK").replace(/^.*CMD /, "")) as readonly string[];
    const port = new URL(server.http).port;
    expect((await runProgram(argv.map((word) => word.replace("3592", port)))).code).toBe(0);
  });

  test("starts with a command line that there is", async () => {
    const argv = JSON.parse(last("CMD")) as readonly string[];
    const { code, stderr } = await runProgram(argv.map((word) => word.replace("=/policies", "=/nowhere")));
    expect([code, stderr.includes("/nowhere")]).toEqual([1, true]);
  });
});

describe("metrics", () => {
  const namesIn = (text: string): readonly string[] => [
    ...new Set(text.match(/\b(?:authz_dev|process|nodejs|http_server|rpc_server)_\w+/g) ?? []),
  ];

  test.each(["prometheus/alerts.yaml", "grafana/authz.json"])("of %s are those that the server shows", (path) => {
    const names = namesIn(read(path));
    expect(names.length).toBeGreaterThan(4);
    expect(names.filter((name) => !shown.has(name))).toEqual([]);
  });

  test("of alerts are counted with the labels that the alerts ask for, also where a request is refused", async () => {
    await server.post("/api/check/resources", "{}");
    const client = openClient(server.grpc, "authz.svc.v1.AuthzService");
    await client.call("checkResources", { principal: { id: "", roles: [] } });
    client.close();
    const lines = (await server.get("/_authz/metrics")).text.split("\n");
    const asked = [...read("prometheus/alerts.yaml").matchAll(/^[^#]*?\b(authz_dev|http_server|rpc_server)(_\w+)\{([^}]+)\}/gm)];
    expect(asked.map(([, start = "", end = ""]) => start + end)).toContain("http_server_request_duration_seconds_count");
    for (const [, start = "", end = "", labels = ""] of asked) {
      const wanted = labels.split(",").map((label) => label.trim());
      const found = lines.filter((line) => line.startsWith(`${start}${end}{`) && wanted.every((label) => line.includes(label)));
      expect([labels, found.length]).not.toEqual([labels, 0]);
    }
  });

  test("of alerts have all that an alert needs", () => {
    const [file] = documents<{ readonly groups: readonly { readonly rules: readonly object[] }[] }>("prometheus/alerts.yaml");
    for (const rule of file?.groups.flatMap(({ rules }) => rules) ?? [])
      expect(rule).toMatchObject({
        alert: expect.stringMatching(/^Authz/),
        expr: expect.any(String),
        labels: { severity: expect.stringMatching(/^(page|ticket)$/) },
        annotations: { summary: expect.any(String), description: expect.any(String) },
      });
  });

  test("the dashboard's panels neither overlap nor share a number", () => {
    const { panels } = JSON.parse(read("grafana/authz.json")) as {
      readonly panels: readonly { readonly id: number; readonly gridPos: { readonly x: number; readonly y: number; readonly w: number } }[];
    };
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    expect(new Set(panels.map(({ gridPos }) => `${gridPos.x},${gridPos.y}`)).size).toBe(panels.length);
  });
});

describe("systemd", () => {
  const unit = read("systemd/authz.service");

  test("validates before it starts, with command lines that there are", async () => {
    const lines = [...unit.matchAll(/^ExecStart(?:Pre)?=\/usr\/bin\/authz (.*)$/gm)].map(([, argv = ""]) => argv.split(" "));
    expect(lines).toHaveLength(2);
    for (const argv of lines) {
      const { code, stderr } = await runProgram(argv);
      expect([code, stderr.includes("/etc/authz/authz.yaml")]).toEqual([1, true]);
    }
  });

  test("is a unit that systemd takes, and grants it little", () => {
    const analyze = (argv: readonly string[]) => spawnSync("systemd-analyze", argv, { encoding: "utf8" });
    if (analyze(["--version"]).status !== 0)
      return console.warn("left out: systemd's own word on the unit, because there is no systemd-analyze");
    const folder = temporaryFolder({ "authz.service": unit.replaceAll("/usr/bin/authz", `${process.execPath} ${main}`) });
    const { stderr, status } = analyze(["verify", "--man=no", join(folder, "authz.service")]);
    expect([stderr.split("\n").filter((line) => line.includes("authz.service")), status]).toEqual([[], 0]);
    // 0 is nothing to fear, 10 everything.
    expect(analyze(["security", "--offline=true", "--threshold=25", join(folder, "authz.service")]).status).toBe(0);
  });

  test("may write where docs/operations.md says", () => {
    const [, section = ""] = /^### With systemd\n(.*?)^### /ms.exec(readFileSync(join(root, "docs/operations.md"), "utf8")) ?? [];
    const roots = { State: "/var/lib", Logs: "/var/log", Cache: "/var/cache", Runtime: "/run" };
    const made = [...unit.matchAll(/^(State|Logs|Cache|Runtime)Directory=(.*)$/gm)];
    expect(made).toHaveLength(4);
    for (const [, kind, name] of made) expect(section).toContain(`\`${roots[kind as keyof typeof roots]}/${name}\``);
    for (const path of ["/usr/bin/authz", "/etc/authz/authz.yaml", "/etc/authz/environment"])
      expect([section.includes(path), unit.includes(path)]).toEqual([true, true]);
  });

  test("has a folder for copies of git repositories and bundles, where the user has no home", () => {
    const place = (name: string): string => new RegExp(`^${name}=(.*)$`, "m").exec(unit)?.[1] ?? "";
    expect(place("Environment")).toBe("XDG_CACHE_HOME=/var/cache");
    // What `src/store/user-cache.ts` adds is the folder that systemd makes.
    expect(place("CacheDirectory")).toBe("authz");
  });

  test("is told when the server is ready and when it stops", async () => {
    const told = temporaryFolder({});
    // What systemd brings itself; here it writes down what it was called with.
    writeFileSync(join(told, "systemd-notify"), `#!/bin/sh\necho "$@ $NOTIFY_SOCKET" >> ${told}/told\n`, { mode: 0o755 });
    const run = startProgram(
      [
        "server",
        "--set",
        `storage.disk.directory=${join(deploy, "kubernetes/policies")},server.httpListenAddr=127.0.0.1:0,server.grpcListenAddr=127.0.0.1:0`,
      ],
      { environment: { PATH: `${told}:/usr/bin:/bin`, NOTIFY_SOCKET: "/run/notify" } },
    );
    const lines = (): string => (existsSync(join(told, "told")) ? readFileSync(join(told, "told"), "utf8") : "");
    await eventually(lines, (text) => text.includes("--ready"));
    run.process.kill("SIGTERM");
    expect((await run.exited).code).toBe(0);
    await eventually(lines, (text) => text.includes("--stopping"));
    expect(lines()).toBe(`--ready --pid=${run.process.pid} /run/notify\n--stopping --pid=${run.process.pid} /run/notify\n`);
  });
});

test("every folder is in the README's table", () => {
  const folders = readdirSync(deploy, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
  expect(folders.filter((name) => !read("README.md").includes(`${name}/`))).toEqual([]);
  expect(execFileSync(process.execPath, [main, "version"], { encoding: "utf8" })).toMatch(/\d/);
});
