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

const kinds = '{"texts":["b","a"],"doubles":[1.5],"bools":[true],"lists":[["x"]],"maps":[{"a":1}]}';

const afterwards: readonly Found[] = [
  found('size(dyn(hierarchy("a.b")))', "2"),
  found('size(hierarchy("a.b"))', "refused"),
  found('timestamp("2024-01-01T00:00:00Z") - (timestamp("2024-01-01T00:00:00Z") - duration("9223372036854775807ns"))', "error"),
  found(
    'timestamp("2024-01-01T00:00:00Z") - (timestamp("2024-01-01T00:00:00Z") - duration("9223372036s")) == duration("9223372036s")',
    "true",
  ),
  found("[].slice(2, 2).transformList(c, y, y, [1, y])", "refused"),
  found("has(dyn(request).tags)", "error"),
  found("math.least(R.attr.doubles + [1])", "error", kinds),
  found("math.least([1] + R.attr.doubles)", "1", kinds),
  found("[].flatten().filter(R, true && R && R.attr)", "refused"),
  found("[].flatten().filter(x, x && x.a)", "[]"),
  found('"a".matches("\\\\p{Letter}") && !"a".matches("\\\\P{lowercase letter}")', "true"),
  found('"a".matches(dyn("\\\\p{Lowercase}"))', "error"),
];

/** Where the checker guessed what a value is, a call means one overload; operators and a few functions mean all of them. */
const guessed: readonly Found[] = [
  found("string(R.attr.texts.distinct()[0])", '"b"', kinds),
  found("string(R.attr.bools.distinct()[0])", "error", kinds),
  found("string(dyn(R.attr.bools.distinct()[0]))", '"true"', kinds),
  found("string(R.attr.bools[0])", '"true"', kinds),
  found("int(R.attr.doubles.distinct()[0])", "error", kinds),
  found("int(dyn([1]).distinct()[0])", "1"),
  found("double(R.attr.doubles.distinct()[0])", "1.5", kinds),
  found("double(R.attr.texts.distinct()[0])", "error", kinds),
  found("uint(R.attr.doubles.distinct()[0])", "error", kinds),
  found("bool(R.attr.texts.distinct()[0])", "error", kinds),
  found("bytes(R.attr.texts.distinct()[0])", "error", kinds),
  found('timestamp(dyn(["2024-01-01T00:00:00Z"]).distinct()[0])', "error"),
  found("timestamp(dyn([timestamp(0)]).distinct()[0]).getFullYear()", "1970"),
  found('duration(dyn(["1h"]).distinct()[0])', "error"),
  found("dyn([timestamp(0)]).distinct()[0].getHours()", "0"),
  found('dyn([duration("1h")]).distinct()[0].getHours()', "error"),
  found("R.attr.lists.distinct()[0].reverse()", '["x"]', kinds),
  found("R.attr.texts.distinct()[0].reverse()", "error", kinds),
  found("hierarchy(R.attr.texts.distinct()[0]).size()", "1", kinds),
  found("hierarchy(R.attr.lists.distinct()[0]).size()", "error", kinds),
  found("math.abs(dyn([-1.5]).distinct()[0])", "1.5"),
  found("math.abs(dyn([-1]).distinct()[0])", "error"),
  found("math.greatest(dyn([1.5]).distinct()[0], 1)", "error"),
  found("math.greatest(dyn([2]).distinct()[0], 1)", "2"),
  // Of a list the first element tells.
  found("math.greatest(dyn([1.5, 2.5]).distinct())", "2.5"),
  found("math.greatest(dyn([1, 2]).distinct())", "error"),
  found('spiffeMatchExact(dyn(["spiffe://a.org/b"]).distinct()[0]).matchesID("spiffe://a.org/b")', "error"),
  // One meaning for all overloads.
  found("size(R.attr.lists.distinct()[0])", "1", kinds),
  found("R.attr.maps.distinct()[0].size()", "1", kinds),
  found("type(R.attr.texts.distinct()[0]) == string", "true", kinds),
  found("dyn(R.attr.texts.distinct()[0])", '"b"', kinds),
  found("R.attr.texts.distinct().sort()", '["a", "b"]', kinds),
  found("R.attr.texts.distinct().sortBy(y, y)", '["a", "b"]', kinds),
  found('spiffeMatchAny().matchesID(dyn(["spiffe://a.org/b"]).distinct()[0])', "true"),
  found("R.attr.texts.distinct()[0] + R.attr.texts.distinct()[1]", '"ba"', kinds),
  found("R.attr.texts.distinct()[0] < R.attr.texts.distinct()[1]", "false", kinds),
  found("-(dyn([1]).distinct()[0])", "-1"),
  found('"x" in R.attr.lists.distinct()[0]', "true", kinds),
  found('R.attr.maps.distinct()[0]["a"] == 1', "true", kinds),
  // The first overload that fits is the guess: an int, whatever it is ordered with.
  found("dyn([1]).distinct().exists(x, x > 0.5 && x == 1)", "true"),
  found("dyn([1]).distinct().exists(x, x > 0.5 && x == 1.0)", "refused"),
  found('cel.bind(x, R.attr.doubles.distinct()[0], x > 1u ? string(x) : "")', "error", kinds),
  found("dyn([1u]).distinct().exists(x, dyn(uint(x)) == 1 && x == 1u)", "true"),
  found('dyn(["a"]).distinct().exists(x, string(x) == "a" && x == "a")', "true"),
  // A guess holds from where it was made on.
  found("cel.bind(x, R.attr.texts.distinct()[0], string(x) + string(x))", '"bb"', kinds),
  found("cel.bind(x, R.attr.doubles.distinct()[0], [string(dyn(x)), string(x)])", "error", kinds),
  found("cel.bind(x, R.attr.doubles.distinct()[0], x == 1 ? string(x) : string(x))", "error", kinds),
  found('cel.bind(x, R.attr.texts.distinct()[0], x.startsWith("b") ? string(x) : "")', '"b"', kinds),
  found("cel.bind(x, R.attr.bools.distinct()[0], x && string(x) == 'true')", "refused", kinds),
  found("cel.bind(x, R.attr.bools.distinct()[0], !x || string(x) == 'true')", "true", kinds),
  found("cel.bind(x, R.attr.texts.distinct()[0], string(x) == 'b' && x == true)", "refused", kinds),
  found('R.attr.texts.distinct().filter(x, string(x) == "a")', '["a"]', kinds),
  found("R.attr.bools.distinct().map(x, string(x))", "error", kinds),
  found("R.attr.lists.flatten().exists(x, string(x) == 'x')", "true", kinds),
  found("R.attr.bools.slice(0, 1).all(x, string(x) == 'true')", "error", kinds),
  found("(false ? [] : R.attr.bools).map(x, string(x))", '["true"]', kinds),
  found("string(([] + R.attr.bools)[0])", "error", kinds),
];

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
  // No double finds the least int.
  found("{-9223372036854775808: 1}[R.attr.least]", "error", '{"least":-9223372036854775808}'),
  found("{-9223372036854775807 - 1: 1}[R.attr.low]", "error", '{"low":-9223372036854775807}'),
  ...afterwards,
  ...guessed,
];
