/** Runs `authzctl` in this process against servers that were started for it. */
import { hashSync } from "bcryptjs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { run, runControl } from "../../src/cli/index.ts";
import type { Tty, StandardInput } from "../../src/cli/admin/tty.ts";
import { startServer, temporaryFolder, type ServerOptions, type TestServer } from "../server/harness.ts";

/** What a command came to. */
export interface CtlResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface CtlOptions {
  readonly environment?: Readonly<Record<string, string>>;
  /** What is piped in, or who types. */
  readonly input?: string | StandardInput;
  /** Is standard output a terminal? */
  readonly terminal?: boolean;
  readonly size?: Tty["size"];
  /** Told what is written, as it is written. */
  readonly written?: (text: string) => void;
  /** `authz admin` rather than `authzctl`. */
  readonly asPartOfAuthz?: boolean;
}

/** Runs a command to its end. */
export async function ctl(argv: readonly string[], options: CtlOptions = {}): Promise<CtlResult> {
  const { environment = {}, input = "", terminal = false, size = () => ({ columns: 120, rows: 12 }), written, asPartOfAuthz } = options;
  let [out, err] = ["", ""];
  const line = {
    out: (text: string) => {
      out += text;
      written?.(text);
    },
    err: (text: string) => void (err += text),
    terminal,
    // No test reads the netrc file of whoever runs it.
    environment: { HOME: "/nonexistent", ...environment },
  };
  if (asPartOfAuthz === true) return { code: await run(["admin", ...argv], line), out, err };
  const tty = {
    input: typeof input === "string" ? Readable.from([input], { objectMode: false }) : input,
    size,
    onResize: () => () => undefined,
  };
  return { code: await runControl(argv, line, tty), out, err };
}

/** Who may administer the servers of these tests. */
export const administrator = { AUTHZ_USERNAME: "boss", AUTHZ_PASSWORD: "pass:word" };

const passwordHash = Buffer.from(hashSync(administrator.AUTHZ_PASSWORD, 4)).toString("base64");

/** What makes a server one that can be administered. */
export const administered = {
  "server.adminAPI.enabled": true,
  "server.adminAPI.adminCredentials.username": administrator.AUTHZ_USERNAME,
  "server.adminAPI.adminCredentials.passwordHash": passwordHash,
} as const;

/** A server with a folder for whatever a test needs. */
export interface AdministeredServer extends TestServer {
  readonly folder: string;
  /** Asks it as its administrator, without TLS. */
  readonly ctl: (argv: readonly string[], options?: CtlOptions) => Promise<CtlResult>;
}

/** Starts one; on sqlite unless it is to be on disk. */
export async function startAdministered(
  { policies = {}, settings = {} }: Partial<ServerOptions> = {},
  store: "sqlite" | "disk" = "sqlite",
): Promise<AdministeredServer> {
  const folder = temporaryFolder({});
  const storage = store === "disk" ? {} : { "storage.driver": "sqlite", "storage.sqlite.path": join(folder, "store.db") };
  const server = await startServer({ policies, settings: { ...administered, ...storage, ...settings } });
  return {
    ...server,
    folder,
    ctl: (argv, options = {}) =>
      ctl([`--server=${server.grpc}`, "--plaintext", ...argv], {
        ...options,
        environment: { ...administrator, ...options.environment },
      }),
  };
}

/** A resource policy about one kind. */
export const policyAbout = (
  resource: string,
  more: { readonly version?: string; readonly scope?: string; readonly roles?: string } = {},
): string =>
  `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: ${resource}
  version: ${more.version ?? "default"}
${more.scope === undefined ? "" : `  scope: ${more.scope}\n`}  rules:
    - actions: [view]
      effect: EFFECT_ALLOW
      roles: [${more.roles ?? "user"}]
`;

/** One policy of every kind. */
export const everyKind = {
  "album.yaml": `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: album
  version: default
  importDerivedRoles: [common]
  variables: { import: [vv], local: { isDraft: R.attr.draft } }
  constants: { import: [cc], local: { k: 1 } }
  rules:
    - actions: [edit, view]
      effect: EFFECT_ALLOW
      derivedRoles: [owner]
      condition: { match: { expr: V.isDraft && !V.isLate && P.attr.level + C.k < C.most } }
`,
  "album_2.json": JSON.stringify({
    apiVersion: "api.authz.dev/v1",
    resourcePolicy: { resource: "album", version: "2", rules: [{ actions: ["view"], effect: "EFFECT_ALLOW", roles: ["user"] }] },
  }),
  "album_acme.yaml": policyAbout("album", { scope: "acme" }),
  "cc.yaml": "apiVersion: api.authz.dev/v1\nexportConstants: { name: cc, definitions: { most: 10 } }\n",
  "clerk.yaml":
    "apiVersion: api.authz.dev/v1\nrolePolicy: { role: clerk, version: default, scope: acme, rules: [{ resource: album, allowActions: [view] }] }\n",
  "common.yaml":
    "apiVersion: api.authz.dev/v1\nderivedRoles:\n  name: common\n  definitions:\n    - { name: owner, parentRoles: [user], condition: { match: { expr: R.attr.owner == P.id } } }\n",
  "daffy.yaml":
    "apiVersion: api.authz.dev/v1\nprincipalPolicy:\n  principal: daffy duck\n  version: default\n  rules: [{ resource: album, actions: [{ action: view, effect: EFFECT_DENY }] }]\n",
  "vv.yaml": 'apiVersion: api.authz.dev/v1\nexportVariables: { name: vv, definitions: { isLate: "1 > 2" } }\n',
} as const;
