/** Area server: whole servers, asked over every transport; administrators fill the one whose store begins empty. */
import type { JsonObject } from "@bufbuild/protobuf";
import type { Area } from "../area.ts";
import { canonical, policyCases } from "../policy-cases.ts";
import type { Channel } from "../../server/channels.ts";
import { startDeployment, type Deployment, type DeploymentName } from "../server-deployments.ts";

interface Case {
  readonly deployments: readonly DeploymentName[];
  readonly call: string;
  readonly http: { readonly method: string; readonly path: string };
  readonly grpc: string;
  readonly wantError: boolean;
  readonly wantStatus: { readonly httpStatusCode: number; readonly grpcStatusCode: number };
  readonly request: JsonObject;
  readonly wantResponse?: Reply;
}

interface Reply {
  readonly authzCallId?: string;
  readonly results?: readonly Result[];
  readonly [field: string]: unknown;
}

interface Result {
  readonly resource?: { readonly policyVersion?: string };
  readonly meta?: { readonly effectiveDerivedRoles?: readonly string[] };
  readonly outputs?: readonly { readonly src: string }[];
  readonly validationErrors?: readonly { readonly path?: string; readonly source: string }[];
}

const running = new Map<DeploymentName, Promise<Deployment>>();

export const server: Area = {
  name: "server",
  cases: (folder) =>
    policyCases(folder, "server", async (wanted: Case) => {
      for (const name of wanted.deployments) {
        const deployment = running.get(name) ?? startDeployment(name, folder);
        running.set(name, deployment);
        const { channels, authorization } = await deployment;
        for (const channel of channels) await check(channel, wanted, authorization);
      }
    }),
  close: async () => {
    for (const deployment of running.values()) await (await deployment).close();
    running.clear();
  },
};

async function check(channel: Channel, wanted: Case, authorization: string | undefined): Promise<void> {
  const { http, grpc, request, wantStatus } = wanted;
  const { status, body } = await channel.ask({ ...http, grpc, request, ...(authorization !== undefined && { authorization }) });
  const wantedStatus = channel.protocol === "http" ? wantStatus.httpStatusCode : wantStatus.grpcStatusCode;
  const answer = `${channel.name}: ${status} ${JSON.stringify(body)}`;
  if (status !== wantedStatus) throw new Error(`${answer}\nwanted: ${wantedStatus}`);
  if (wanted.wantError && status === (channel.protocol === "http" ? 200 : 0)) throw new Error(`${answer}\nwanted: an error`);
  if (channel.preflight !== undefined) await checkPreflights(channel.preflight, channel.name, http.path);
  if (wanted.wantError || wanted.wantResponse === undefined) return;
  if (wanted.call === "checkResources" && !body?.["authzCallId"]) throw new Error(`${answer}\nwanted: a call id`);
  const [found, want] = [comparable({ ...body }), comparable(wanted.wantResponse)];
  if (found !== want) throw new Error(`${channel.name}\nfound:  ${found}\nwanted: ${want}`);
}

async function checkPreflights(ask: NonNullable<Channel["preflight"]>, name: string, path: string): Promise<void> {
  for (const method of ["HEAD", "GET", "POST", "PUT", "PATCH", "DELETE"]) {
    const { status, headers } = await ask(path, method);
    const [origin, methods] = [headers["access-control-allow-origin"], headers["access-control-allow-methods"]];
    if (origin !== "*" || methods !== method)
      throw new Error(`${name}: a preflight of ${method} ${path} is answered ${status}, origin ${origin}, methods ${methods}`);
  }
}

/** What is compared: lists that have no order sorted, sentences left out, the policy version that was used written. */
function comparable(reply: Reply): string {
  const { authzCallId: _ours, ...rest } = reply;
  return JSON.stringify(
    canonical(rest.results === undefined ? unordered(rest) : { ...rest, results: rest.results.map(result) }),
    undefined,
    1,
  );
}

/** A CheckResourceSet reply has its results by id. */
function unordered(reply: { readonly [field: string]: unknown }): object {
  const instances = reply["resourceInstances"];
  const meta = reply["meta"];
  return {
    ...reply,
    ...(isObject(instances) && { resourceInstances: mapped(instances, result) }),
    ...(isObject(meta) && {
      meta: mapped(meta, (value) =>
        isObject(value)
          ? mapped(value, (each: { readonly effectiveDerivedRoles?: readonly string[] }) => ({
              ...each,
              effectiveDerivedRoles: each.effectiveDerivedRoles?.toSorted(),
            }))
          : value,
      ),
    }),
  };
}

function result({ resource, meta, outputs, validationErrors, ...rest }: Result): object {
  return {
    ...rest,
    // D2: what was used, also where the request named none.
    ...(resource !== undefined && { resource: { ...resource, policyVersion: resource.policyVersion || "default" } }),
    ...(meta !== undefined && { meta: { ...meta, effectiveDerivedRoles: meta.effectiveDerivedRoles?.toSorted() } }),
    outputs: outputs?.toSorted((left, right) => (left.src < right.src ? -1 : 1)),
    // D51: one error for each missing property, in our words.
    validationErrors: validationErrors
      ?.flatMap((error) => Array.from({ length: namesIn(error) }, () => `${error.source} ${error.path ?? ""}`))
      .toSorted(),
  };
}

function namesIn(error: object): number {
  const message = "message" in error ? String(error.message) : "";
  const names = /(?:missing properties:|additionalProperties) (.*?)(?: not allowed)?$/.exec(message.replaceAll(" ", " "))?.[1];
  return names === undefined ? 1 : names.split(",").length;
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
// The entries of a message's map are messages of one type, which the caller knows.
const mapped = (object: object, change: (value: never) => unknown): object =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value as never)]));
