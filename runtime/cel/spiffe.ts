/** The CEL types of SPIFFE: IDs, trust domains and matchers. */
import { EvalError, evalError } from "./error.ts";
import { printValue } from "./print-value.ts";
import { Opaque } from "./value.ts";

/** A validated `spiffe://domain/path`. */
export class SpiffeId extends Opaque {
  readonly typeName = "spiffeID";
  readonly domain: string;
  /** "" or `/a/b`. */
  readonly path: string;
  constructor(domain: string, path: string) {
    super();
    this.domain = domain;
    this.path = path;
  }
  equals(other: Opaque): boolean {
    return other instanceof SpiffeId && other.domain === this.domain && other.path === this.path;
  }
  print(): string {
    return `spiffeID(${printValue(`spiffe://${this.domain}${this.path}`)})`;
  }
}

/** A trust domain. */
export class TrustDomain extends Opaque {
  readonly typeName = "spiffeTrustDomain";
  readonly name: string;
  constructor(name: string) {
    super();
    this.name = name;
  }
  equals(other: Opaque): boolean {
    return other instanceof TrustDomain && other.name === this.name;
  }
  print(): string {
    return `spiffeTrustDomain(${printValue(this.name)})`;
  }
}

/** A predicate on SPIFFE IDs. Matchers are never equal, not even to themselves. */
export class SpiffeMatcher extends Opaque {
  readonly typeName = "spiffeMatcher";
  readonly matches: (id: SpiffeId) => boolean;
  constructor(matches: (id: SpiffeId) => boolean) {
    super();
    this.matches = matches;
  }
  equals(): boolean {
    return false;
  }
  print(): string {
    return "spiffeMatcher()";
  }
}

const scheme = "spiffe://";
const domainName = /^[a-z0-9._-]+$/;
const segment = /^(?!\.{1,2}$)[A-Za-z0-9._-]+$/;

const invalid = (text: string): EvalError => evalError("invalid argument", `invalid SPIFFE ID: ${text}`);

/**
 * Parses an ID, or returns an error. The domain is lower-case; the path has no empty or dot segments and no trailing
 * slash.
 */
export function readSpiffeId(text: string): SpiffeId | EvalError {
  if (!text.startsWith(scheme)) return invalid(text);
  const slash = text.indexOf("/", scheme.length);
  const domain = text.slice(scheme.length, slash < 0 ? text.length : slash);
  const path = slash < 0 ? "" : text.slice(slash);
  const segments = path.split("/").slice(1);
  return domainName.test(domain) && segments.every((part) => segment.test(part)) ? new SpiffeId(domain, path) : invalid(text);
}

/** Parses a trust domain: a bare name, or a whole ID, whose domain is taken. */
export function readTrustDomain(text: string): TrustDomain | EvalError {
  if (!text.includes(":/"))
    return domainName.test(text) ? new TrustDomain(text) : evalError("invalid argument", `invalid trust domain: ${text}`);
  const id = readSpiffeId(text);
  return id instanceof EvalError ? id : new TrustDomain(id.domain);
}
