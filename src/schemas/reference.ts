/** Parses references to schemas: in policies, such as `authz:///customer.json`, and within documents. */

/** The target of a reference. */
export type Target =
  /** A schema of the store, by its path below `_schemas`, which is its id in a database. */
  | { readonly kind: "store"; readonly path: string }
  | { readonly kind: "file"; readonly url: URL }
  | { readonly kind: "http"; readonly url: URL }
  /** No valid target, and why. */
  | { readonly kind: "none"; readonly reason: string };

/** The scheme for schemas in the store. */
const ownScheme = "authz:";

/** Replaces the reference's scheme by ours (D19). */
const withOwnScheme = (reference: string): string => reference.replace(/^cerbos:/i, ownScheme);

/** Returns a policy's reference as an absolute URL, or what is wrong with it. */
export function readReference(reference: string): { readonly url: string } | { readonly reason: string } {
  const written = withOwnScheme(reference.trim());
  if (!/^[a-z][a-z0-9+.-]*:/i.test(written)) {
    const path = written.replace(/^(?:\.?\/)?(?:_schemas\/)?/, "");
    return { reason: `a schema is referred to by a URL: write \`authz:///${path}\` for the file \`_schemas/${path}\`` };
  }
  const url = URL.canParse(written) ? new URL(written).href : undefined;
  return url === undefined ? { reason: `\`${reference}\` is not a URL` } : { url };
}

/** Returns a reference within a document as an absolute URL; undefined when it is malformed. */
export function resolveReference(reference: string, base: string): string | undefined {
  const written = withOwnScheme(reference);
  return URL.canParse(written, base) ? new URL(written, base).href : undefined;
}

/** Returns a URL without its fragment, which is that of the document. */
export const documentOf = (url: string): string => url.split("#", 1)[0] ?? url;

/** Returns the target of a document's URL. */
export function targetOf(documentUrl: string): Target {
  const url = new URL(documentUrl);
  switch (url.protocol) {
    case ownScheme:
      return storeTarget(url);
    case "file:":
      return { kind: "file", url };
    case "http:":
    case "https:":
      return { kind: "http", url };
    default:
      return {
        kind: "none",
        reason: `the scheme \`${url.protocol}\` cannot be followed: use authz:///, or file: or http(s): where allowed`,
      };
  }
}

function storeTarget(url: URL): Target {
  if (url.host !== "" || !url.pathname.startsWith("/")) return { kind: "none", reason: withoutHost(url) };
  const path = decoded(url.pathname.slice(1));
  if (path === undefined) return { kind: "none", reason: "the path is not percent-encoded UTF-8" };
  return { kind: "store", path };
}

/**
 * The reference implementation ignores a host, so files written for it may have one; the hint suggests the path that it would have
 * read.
 */
function withoutHost({ host, pathname }: URL): string {
  if (host === "" || pathname.length < 2) return `write three slashes: \`authz:///${host === "" ? "file.json" : host}\``;
  return `\`${host}\` stands where a host does: write \`authz://${pathname}\``;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
