/** SPIFFE: workload identities, their trust domains, and matchers. */
import { global, method, type FunctionRow } from "../declare.ts";
import { EvalError, evalError, invariant } from "../error.ts";
import { readSpiffeId, readTrustDomain, SpiffeId, SpiffeMatcher, TrustDomain } from "../spiffe.ts";
import { bool, listOf, opaque, string } from "../type.ts";
import type { Opaque, Value } from "../value.ts";

const id = opaque("spiffeID");
const domain = opaque("spiffeTrustDomain");
const matcher = opaque("spiffeMatcher");

function idOf(value: Opaque): SpiffeId {
  invariant(value instanceof SpiffeId, "dispatch let only SPIFFE ids through");
  return value;
}

function domainOf(value: Opaque): TrustDomain {
  invariant(value instanceof TrustDomain, "dispatch let only trust domains through");
  return value;
}

const matchExact = (wanted: SpiffeId | EvalError): SpiffeMatcher | EvalError =>
  wanted instanceof EvalError ? wanted : new SpiffeMatcher((other) => other.equals(wanted));

const matchDomain = (wanted: TrustDomain | EvalError): SpiffeMatcher | EvalError =>
  wanted instanceof EvalError ? wanted : new SpiffeMatcher((other) => other.domain === wanted.name);

/** Accepts IDs and strings; in practice all elements are of one type. */
function matchOneOf(list: readonly Value[]): SpiffeMatcher | EvalError {
  const ids: SpiffeId[] = [];
  for (const each of list) {
    const read = typeof each === "string" ? readSpiffeId(each) : each instanceof SpiffeId ? each : evalError("no such overload");
    if (read instanceof EvalError) return read;
    ids.push(read);
  }
  return new SpiffeMatcher((other) => ids.some((each) => each.equals(other)));
}

function matches(value: Opaque, other: SpiffeId | EvalError): boolean | EvalError {
  invariant(value instanceof SpiffeMatcher, "dispatch let only matchers through");
  return other instanceof EvalError ? other : value.matches(other);
}

/** The SPIFFE functions of the policy library. */
export const spiffe: readonly FunctionRow[] = [
  global("spiffeID", "spiffeID_string", [string], id, readSpiffeId,
    [['spiffeID("spiffe://example.org/ns/a").path()', '"/ns/a"'], ['spiffeID("spiffe://Example.org/a")', "error: invalid argument"], ['spiffeID("spiffe://a/../b")', "error: invalid argument"], ['spiffeID("spiffe://a/")', "error: invalid argument"]]),
  method("path",        "path",        [id],         string, (x) => idOf(x).path, [['spiffeID("spiffe://example.org").path()', '""']]),
  method("trustDomain", "trustDomain", [id],         domain, (x) => new TrustDomain(idOf(x).domain), [['spiffeID("spiffe://a/b").trustDomain() == spiffeTrustDomain("a")', "true"]]),
  method("isMemberOf",  "isMemberOf",  [id, domain], bool,   (x, y) => idOf(x).domain === domainOf(y).name, [['spiffeID("spiffe://a/b").isMemberOf(spiffeTrustDomain("spiffe://a/c"))', "true"]]),

  global("spiffeTrustDomain", "spiffeTrustDomain_string", [string], domain, readTrustDomain, [['spiffeTrustDomain("a").name()', '"a"'], ['spiffeTrustDomain("A")', "error: invalid argument"]]),
  method("name", "name", [domain], string, (x) => domainOf(x).name, [['spiffeTrustDomain("spiffe://a/b").name()', '"a"']]),
  method("id",   "id",   [domain], string, (x) => `spiffe://${domainOf(x).name}`, [['spiffeTrustDomain("a").id()', '"spiffe://a"']]),

  global("spiffeMatchAny",         "spiffeMatchAny",                           [],             matcher, () => new SpiffeMatcher(() => true), [['spiffeMatchAny().matchesID("spiffe://a/b")', "true"]]),
  global("spiffeMatchExact",       "spiffeMatchExact_spiffeID",                [id],           matcher, (x) => matchExact(idOf(x)), [['spiffeMatchExact(spiffeID("spiffe://a/b")).matchesID("spiffe://a/c")', "false"]]),
  global("spiffeMatchExact",       "spiffeMatchExact_string",                  [string],       matcher, (x) => matchExact(readSpiffeId(x)), [['spiffeMatchExact("spiffe://a/b").matchesID("spiffe://a/b")', "true"]]),
  global("spiffeMatchOneOf",       "spiffeMatchOneOf_spiffeIDList",            [listOf(id)],   matcher, matchOneOf, [['spiffeMatchOneOf([spiffeID("spiffe://a/b")]).matchesID("spiffe://a/b")', "true"]]),
  global("spiffeMatchOneOf",       "spiffeMatchOneOf_stringList",              [listOf(string)], matcher, matchOneOf, [['spiffeMatchOneOf(["spiffe://a/b"]).matchesID("spiffe://a/c")', "false"]]),
  global("spiffeMatchTrustDomain", "spiffeMatchTrustDomain_spiffeTrustDomain", [domain],       matcher, (x) => matchDomain(domainOf(x)), [['spiffeMatchTrustDomain(spiffeTrustDomain("a")).matchesID("spiffe://a/c")', "true"]]),
  global("spiffeMatchTrustDomain", "spiffeMatchTrustDomain_string",            [string],       matcher, (x) => matchDomain(readTrustDomain(x)), [['spiffeMatchTrustDomain("a").matchesID("spiffe://b/c")', "false"]]),
  method("matchesID", "matchesID_spiffeID", [matcher, id],     bool, (x, y) => matches(x, idOf(y)), [['spiffeMatchAny().matchesID(spiffeID("spiffe://a"))', "true"]]),
  method("matchesID", "matchesID_string",   [matcher, string], bool, (x, y) => matches(x, readSpiffeId(y)), [['spiffeMatchAny().matchesID("a")', "error: invalid argument"]]),
];
