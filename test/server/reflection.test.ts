/** Reflection and channelz: there exactly with the administration API, and enough to build a client from nothing else. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { Client, credentials, type ClientDuplexStream } from "@grpc/grpc-js";
import { loadFileDescriptorSetFromBuffer, loadSync, type MethodDefinition, type PackageDefinition } from "@grpc/proto-loader";
import { hashSync } from "bcryptjs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startServer, temporaryFolder, type TestServer } from "./harness.ts";
import { expensePolicy } from "./policies.ts";

const loading = { keepCase: true, longs: String, enums: String, defaults: false, oneofs: false } as const;
const protocol = loadSync(["grpc/reflection/v1/reflection.proto", "grpc/reflection/v1alpha/reflection.proto"], {
  ...loading,
  includeDirs: [join(import.meta.dirname, "..", "..", "proto")],
});

interface Answer {
  readonly valid_host?: string;
  readonly original_request?: object;
  readonly file_descriptor_response?: { readonly file_descriptor_proto: readonly Buffer[] };
  readonly all_extension_numbers_response?: { readonly base_type_name: string; readonly extension_number?: readonly number[] };
  readonly list_services_response?: { readonly service: readonly { readonly name: string }[] };
  readonly error_response?: { readonly error_code: number; readonly error_message: string };
}

let folder: string;
let plain: TestServer;
let admin: TestServer;
let client: Client;
beforeAll(async () => {
  const passwordHash = Buffer.from(hashSync("secret", 4)).toString("base64");
  folder = temporaryFolder({
    "admin.yaml": JSON.stringify({ server: { adminAPI: { enabled: true, adminCredentials: { passwordHash } } } }),
  });
  const policies = { "expense.yaml": expensePolicy };
  plain = await startServer({ policies });
  admin = await startServer({ policies, file: join(folder, "admin.yaml") });
  client = new Client(admin.grpc, credentials.createInsecure());
});
afterAll(async () => {
  client.close();
  await plain.stop();
  await admin.stop();
  rmSync(folder, { recursive: true });
});

function methodOf(definition: PackageDefinition, service: string, name: string): MethodDefinition<object, object> {
  const found = definition[service];
  const method = found === undefined || "format" in found ? undefined : Object.entries(found).find(([key]) => key === name)?.[1];
  if (method === undefined) throw new Error(`no ${service}/${name}`);
  return method;
}

function talk(version: "v1" | "v1alpha", to: Client = client): ClientDuplexStream<object, Answer> {
  const { path, requestSerialize, responseDeserialize } = methodOf(
    protocol,
    `grpc.reflection.${version}.ServerReflection`,
    "ServerReflectionInfo",
  );
  // What this client makes of a ServerReflectionResponse has these fields.
  return to.makeBidiStreamRequest(path, requestSerialize, (bytes) => responseDeserialize(bytes) as Answer);
}

/** Asks one question after the other in one talk. */
async function ask(version: "v1" | "v1alpha", ...questions: readonly object[]): Promise<readonly Answer[]> {
  const stream = talk(version);
  const answers: Answer[] = [];
  const ended = new Promise<void>((resolve, reject) => stream.on("error", reject).on("end", resolve));
  stream.on("data", (answer: Answer) => void answers.push(answer));
  for (const question of questions) stream.write(question);
  stream.end();
  await ended;
  return answers;
}

/** Makes a client of one service from what reflection tells of it. */
async function clientFromReflection(symbol: string): Promise<PackageDefinition> {
  const [answer] = await ask("v1", { file_containing_symbol: symbol });
  const files = answer?.file_descriptor_response?.file_descriptor_proto ?? [];
  // A FileDescriptorSet is its files, each behind the tag of field 1 and its length.
  const set = files.flatMap((file) => [Buffer.from([0x0a, ...varint(file.length)]), file]);
  return loadFileDescriptorSetFromBuffer(Buffer.concat(set), loading);
}

function varint(value: number): readonly number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)];
}

describe.each(["v1", "v1alpha"] as const)("reflection %s", (version) => {
  test("lists the services", async () => {
    const [answer] = await ask(version, { host: "here", list_services: "*" });
    expect(answer?.list_services_response?.service.map(({ name }) => name).toSorted()).toEqual([
      "authz.svc.v1.AuthzAdminService",
      "authz.svc.v1.AuthzService",
      "grpc.channelz.v1.Channelz",
      "grpc.health.v1.Health",
      "grpc.reflection.v1.ServerReflection",
      "grpc.reflection.v1alpha.ServerReflection",
    ]);
    expect([answer?.valid_host, answer?.original_request]).toEqual(["here", { host: "here", list_services: "*" }]);
  });

  test("says of every service which file declares it, with all it imports", async () => {
    const [services] = await ask(version, { list_services: "" });
    for (const { name } of services?.list_services_response?.service ?? []) {
      const [bySymbol] = await ask(version, { file_containing_symbol: name });
      const [first, ...rest] = (bySymbol?.file_descriptor_response?.file_descriptor_proto ?? []).map((bytes) => nameOf(bytes));
      const [byName] = await ask(version, { file_by_filename: first });
      expect([name, byName?.file_descriptor_response?.file_descriptor_proto.map(nameOf)]).toEqual([name, [first, ...rest]]);
    }
  });

  test.each([
    ["authz.svc.v1.AuthzService.CheckResources", "authz/svc/v1/svc.proto"],
    ["authz.request.v1.CheckResourcesRequest.ResourceEntry", "authz/request/v1/request.proto"],
    ["authz.request.v1.CheckResourcesRequest.principal", "authz/request/v1/request.proto"],
    ["authz.effect.v1.Effect", "authz/effect/v1/effect.proto"],
    ["authz.effect.v1.EFFECT_ALLOW", "authz/effect/v1/effect.proto"],
    ["google.protobuf.Value", "google/protobuf/struct.proto"],
    ["google.rpc.Status", "google/rpc/status.proto"],
    ["buf.validate.Violations", "buf/validate/violations.proto"],
  ])("finds %s in %s", async (symbol, file) => {
    const [answer] = await ask(version, { file_containing_symbol: symbol });
    expect(nameOf(answer?.file_descriptor_response?.file_descriptor_proto[0] ?? Buffer.alloc(0))).toBe(file);
  });

  test("answers each question of a talk in turn, also those that it cannot", async () => {
    const answers = await ask(
      version,
      { file_containing_symbol: "authz.Nothing" },
      { file_by_filename: "../../etc/passwd" },
      { file_containing_extension: { containing_type: "authz.request.v1.AuxData", extension_number: 1000 } },
      { all_extension_numbers_of_type: "authz.request.v1.AuxData" },
      { all_extension_numbers_of_type: "authz.Nothing" },
      { file_containing_symbol: "__proto__" },
      {},
      { list_services: "" },
    );
    expect(answers.map(({ error_response: error }) => error?.error_code)).toEqual([5, 5, 5, undefined, 5, 5, 3, undefined]);
    expect(answers[3]?.all_extension_numbers_response).toEqual({ base_type_name: "authz.request.v1.AuxData" });
    expect(answers[0]?.error_response?.error_message).toBe("no symbol `authz.Nothing`");
  });

  test("is not there without the administration API", async () => {
    const other = new Client(plain.grpc, credentials.createInsecure());
    const stream = talk(version, other);
    const code = await new Promise<number>((resolve) => stream.on("error", () => {}).on("status", (status) => resolve(status.code)));
    other.close();
    expect(code).toBe(12);
  });
});

test("a client that knows nothing but what reflection says gets decisions", async () => {
  const { path, requestSerialize, responseDeserialize } = methodOf(
    await clientFromReflection("authz.svc.v1.AuthzService"),
    "authz.svc.v1.AuthzService",
    "CheckResources",
  );
  const request = {
    principal: { id: "ann", roles: ["user"] },
    resources: [
      { actions: ["view", "delete"], resource: { kind: "expense", id: "e1", attr: [{ key: "amount", value: { number_value: 1 } }] } },
    ],
  };
  const reply = await new Promise((resolve, reject) => {
    client.makeUnaryRequest(path, requestSerialize, responseDeserialize, request, (error, value) =>
      error === null ? resolve(value) : reject(error),
    );
  });
  // This client takes a map for a list of its entries.
  expect(reply).toMatchObject({
    results: [
      {
        actions: [
          { key: "view", value: "EFFECT_ALLOW" },
          { key: "delete", value: "EFFECT_DENY" },
        ],
      },
    ],
  });
});

test("channelz says which servers there are, exactly with the administration API", async () => {
  const { path, requestSerialize, responseDeserialize } = methodOf(
    await clientFromReflection("grpc.channelz.v1.Channelz"),
    "grpc.channelz.v1.Channelz",
    "GetServers",
  );
  const servers = await new Promise((resolve, reject) => {
    client.makeUnaryRequest(path, requestSerialize, responseDeserialize, {}, (error, value) =>
      error === null ? resolve(value) : reject(error),
    );
  });
  expect(servers).toMatchObject({ server: expect.arrayContaining([expect.objectContaining({ data: expect.anything() })]), end: true });
  const other = new Client(plain.grpc, credentials.createInsecure());
  const code = await new Promise((resolve) =>
    other.makeUnaryRequest(path, requestSerialize, responseDeserialize, {}, (error) => resolve(error?.code)),
  );
  other.close();
  expect(code).toBe(12);
});

test("a talk that nobody ends does not keep the server from stopping", async () => {
  const server = await startServer({ policies: { "expense.yaml": expensePolicy }, file: join(folder, "admin.yaml") });
  const other = new Client(server.grpc, credentials.createInsecure());
  const stream = talk("v1", other);
  const ended = new Promise((resolve) => stream.on("error", resolve).on("end", resolve));
  stream.write({ list_services: "" });
  await new Promise((resolve) => stream.once("data", resolve));
  await server.stop();
  await ended;
  other.close();
});

/** The name of a file: field 1 of its descriptor. */
function nameOf(descriptor: Buffer): string {
  return descriptor.subarray(2, 2 + (descriptor[1] ?? 0)).toString("utf8");
}
