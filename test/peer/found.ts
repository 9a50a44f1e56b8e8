/** Expressions on which a run once found a difference, with what the reference 0.51.0 says: a value, an error, or that it does not compile. */

export interface Found {
  readonly expression: string;
  /** The value as CEL, `error`, or `refused`. */
  readonly theirs: string;
  /** Attributes of the resource, as JSON; none where they do not matter. */
  readonly attributes?: string;
}

const found = (expression: string, theirs: string, attributes?: string): Found => ({
  expression,
  theirs,
  ...(attributes !== undefined && { attributes }),
});

/** Every case that is to stay. */
export const cases: readonly Found[] = [
  // A difference from now that does not fit is the longest that does.
  found('timestamp("0001-01-01T00:00:00Z").timeSince()', 'duration("9223372036854775807ns")'),
  found('timeSince(timestamp("8000-01-01T00:00:00Z"))', 'duration("-9223372036854775808ns")'),
  // Between two instants the whole seconds alone must fit.
  found('timestamp("1677-09-21T00:12:43.145224192Z") - timestamp("1970-01-01T00:00:00Z")', "error"),
  found('timestamp("1677-09-21T00:12:44.145224192Z") - timestamp("1970-01-01T00:00:00Z")', 'duration("-9223372035854775808ns")'),
  found('"%s".format([type(hierarchy("a"))])', '"cerbos.lib.hierarchy"'),
  found('"%s".format([type(spiffeTrustDomain("acme"))])', '"cerbos.lib.spiffeTrustDomain"'),
  // A size that only a method tells.
  found('0 < hierarchy("a").size()', "true"),
  found('hierarchy("a.b").size() == 2', "true"),
  // Overloads of one kind are tried before those of two.
  found("[].filter(y, math.greatest(y, 1) == 1)", "[]"),
  found("[].filter(y, math.greatest(y, 1) == 1.0)", "refused"),
  found("[].filter(y, math.greatest(1, y) == 1.0)", "refused"),
  // Sorted by a key of any kind, nothing is known of the result.
  found("[].exists_one(k, k.sortBy(y, null))", "false"),
  found("dyn([1]).sortBy(y, y).existsOne(k, v, k)", "error"),
  found("[1].sortBy(y, null)", "error"),
];
