/** Reads the policies of an embedding program, from a folder or a bundle, into the content of a bundle. */
import { readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { types } from "node:util";
import { link } from "../../compiler/link/link.ts";
import type { PolicySet } from "../../compiler/link/policy-set.ts";
import { readPolicy } from "../../compiler/policy/read.ts";
import { isFields } from "../../runtime/door/fields.ts";
import { describeType } from "../../runtime/door/problems.ts";
import { compileSet } from "../compile/compile-set.ts";
import { type BundleContent, contentOf } from "../bundle/file.ts";
import { maxBytes } from "../bundle/frame.ts";
import { readBundle } from "../bundle/index.ts";
import { readPublicKeys } from "../bundle/keys.ts";
import type { Trust } from "../bundle/verify.ts";
import { digest } from "../texts/digest.ts";
import { codeOf, isRefusal, refusal } from "../refusal.ts";
import { openDiskStore } from "../store/disk.ts";
import type { PolicySource } from "./door.ts";

/** What was read. */
interface SourceContent extends BundleContent {
  /** Links the policies as written; absent for a bundle, which holds only compiled ones. */
  readonly linkPolicies?: () => PolicySet;
}

/** Reads policies; rejects with a refusal that says what is wrong with them. */
export async function readSource(source: PolicySource, publicKey: string | readonly string[] | undefined): Promise<SourceContent> {
  const trust: Trust =
    publicKey === undefined
      ? { kind: "anybody" }
      : { kind: "keys", keys: readPublicKeys(typeof publicKey === "string" ? [publicKey] : publicKey) };
  const bytes = bytesIn(source);
  if (bytes !== undefined) return withSubject("the bundle", () => readBundle(bytes, trust).content);
  if (source instanceof URL) return readSource(pathOf(source), publicKey);
  if (typeof source === "string") {
    if (kindOf(source) === "file")
      return withSubject(`the bundle \`${source}\``, () => readBundle(bytesOf(source), trust).content, folderHint(source));
    if (publicKey !== undefined) throw refusal(`\`${source}\` is a folder, and only bundles are signed: leave out \`publicKey\``);
    return readFolder(source);
  }
  if (publicKey !== undefined)
    throw refusal("what a bundle exports is not signed, only its file is: give its path or its bytes, or leave out `publicKey`");
  if (!isFields(source) || !("manifest" in source)) throw refusal(`this cannot be loaded: give ${acceptedSources}: ${notLoaded(source)}`);
  return withSubject("the bundle", () => contentOf(source));
}

const acceptedSources = "a folder or a bundle file, as a path or `file:` URL, its bytes, or what it exports as `default`";

const notLoaded = (source: unknown): string =>
  isFields(source) && "default" in source ? "it has a `default`, which may be it" : describeType(source);

/** Returns bytes of any JavaScript realm: test runners use contexts with their own classes. */
function bytesIn(source: PolicySource): Uint8Array | undefined {
  if (types.isUint8Array(source)) return source;
  return types.isAnyArrayBuffer(source) ? new Uint8Array(source) : undefined;
}

function pathOf(address: URL): string {
  if (address.protocol !== "file:") throw refusal(`only \`file:\` addresses are read here, not \`${address.protocol}\`: give bytes`);
  return fileURLToPath(address);
}

function withSubject<T>(what: string, read: () => T, hint = ""): T {
  try {
    return read();
  } catch (error) {
    throw isRefusal(error) ? refusal(`${what} cannot be used: ${error.message}${hint}`) : error;
  }
}

/** For the path of a policy file, which is no bundle. */
const folderHint = (path: string): string =>
  /\.(?:ya?ml|json)$/i.test(path) ? `; policies are loaded together: give their folder, such as \`${dirname(path)}\`` : "";

function kindOf(path: string): "file" | "folder" {
  try {
    return statSync(path).isDirectory() ? "folder" : "file";
  } catch (error) {
    const code = codeOf(error);
    throw code === undefined
      ? error
      : refusal(
          code === "ENOENT"
            ? `there is no policy folder and no bundle \`${path}\`${urlHint(path)}`
            : `\`${path}\` cannot be read (${code})`,
        );
  }
}

const urlHint = (path: string): string => (path.startsWith("file:") ? ": give a path, or a URL that is not a string" : "");

function bytesOf(path: string): Uint8Array {
  if (statSync(path).size > maxBytes) throw refusal(`it is larger than a bundle may be (${maxBytes} bytes)`);
  return readFileSync(path);
}

async function readFolder(directory: string): Promise<SourceContent> {
  const { changed, changedSchemas, unreadable } = await openDiskStore({ directory }).read();
  if (changed.length + unreadable.length === 0) throw refusal(`there is no policy in \`${directory}\`: everything would be denied`);
  const compiled = compileSet(changed, { digest }, unreadable);
  if (compiled.kind === "broken") {
    const errors = compiled.findings.filter(({ severity }) => severity === "error").map(({ printed }) => printed);
    throw refusal(`the policies in \`${directory}\` do not compile:\n\n${errors.join("\n\n")}`);
  }
  return {
    bundle: compiled.bundle,
    schemas: new Map(changedSchemas.map(({ path, text }) => [path, text])),
    policies: changed.length,
    // Linked when somebody asks: texts take less memory than trees, and everything was reported above.
    linkPolicies: () =>
      link(
        changed.flatMap((source) => readPolicy(source, ignore) ?? []),
        ignore,
      ),
  };
}

const ignore = (): void => undefined;
