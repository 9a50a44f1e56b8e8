/** The differences from the reference 0.51.0 that are meant to be: each row names one function or operator and says why. */
import { check } from "../../compiler/cel/check.ts";
import { type Environment, policyEnvironment } from "../../compiler/cel/environment.ts";
import { parse } from "../../compiler/cel/parse.ts";
import { childrenOf } from "../../compiler/cel/children.ts";
import type { Expression } from "../../runtime/cel/ast.ts";
import { EvalError } from "../../runtime/cel/error.ts";
import type { Answer } from "./answer.ts";
import type { Aspect } from "./judge.ts";
import { lackingNames } from "./lacking.ts";
import type { Ours } from "./ours.ts";

/** One expression that is answered differently. */
export interface Case {
  readonly text: string;
  readonly aspect: Aspect;
  readonly ours: Ours;
  /** What the reference says to the expression itself. */
  readonly theirs: Answer;
}

export interface Row {
  readonly name: string;
  /** The decision that explains it. */
  readonly because: string;
  readonly explains: (difference: Case) => boolean;
}

// Methods of values that only lacking functions make.
const methods: ReadonlySet<string> = new Set([
  "hasValue",
  "value",
  "or",
  "orValue",
  "unwrapOpt",
  "family",
  "isUnspecified",
  "isLoopback",
  "isGlobalUnicast",
  "isLinkLocalMulticast",
  "isLinkLocalUnicast",
  "containsIP",
  "containsCIDR",
  "masked",
  "isMask",
  "prefixLength",
]);

const lacks = (name: string): Row => ({
  name: `lacks ${name}`,
  because: "D44: semantics section 11, CEL: functions that 0.51 lacks",
  explains: ({ text, aspect, ours, theirs }) =>
    aspect === "acceptance" &&
    ours.kind === "accepted" &&
    text.includes(`${name}(`) &&
    theirs.kind === "refused" &&
    theirs.message.includes(`undeclared reference to '${name.split(".")[0]}'`),
});

/** A literal that could never be read is refused when the policy is compiled; 0.51 finds out when it is evaluated. */
const validates = (name: string, complaint: RegExp): Row => ({
  name: `literal of ${name}`,
  because: "D44: semantics section 11, CEL: literal validators",
  explains: ({ text, aspect, ours, theirs }) =>
    aspect === "acceptance" &&
    ours.kind === "refused" &&
    complaint.test(ours.message) &&
    theirs.kind !== "refused" &&
    text.includes(`${name}(`),
});

/** Two sides name the error of one function in different words, so that its kind reads differently. */
const sentence = (name: string, theirs: RegExp, because: string): Row => ({
  name: `error of ${name}`,
  because: `D50, the sentence of an error is ours: ${because}`,
  explains: ({ text, aspect, theirs: said }) =>
    aspect === "error" && said.kind === "error" && theirs.test(said.message) && calls(text, name),
});

const calls = (text: string, name: string): boolean => new RegExp(`(?<![\\w])${name.replaceAll(".", "[.]")}\\(`).test(text);

/** As a function, not as a method, 0.51 says of an argument that failed only that no overload takes it. */
const hidesArgument = (name: string): Row => sentence(name, /^no such overload$/, "it names what failed in the argument");

/** A key that is none: the official suite says what keys are, cel-go takes what Go can hash. */
function hasOddKey({ text, ours, theirs }: Case): boolean {
  if (!text.includes("{") && !text.includes("transformMap")) return false;
  if (theirs.kind === "error" && theirs.message.includes("hash of unhashable type")) return true;
  if (ours.kind !== "accepted" || !(ours.interpreted instanceof EvalError)) return false;
  // Its error may have become another one on its way out, such as that of an operand of `&&`.
  return (
    ours.interpreted.message.includes("unsupported key type") || keyTypes(text).some((types) => types.some((kind) => !keyKinds.has(kind)))
  );
}

/** The types of the keys of each map literal. */
function keyTypes(text: string): readonly (readonly string[])[] {
  const { tree } = parse(text);
  if (tree === undefined) return [];
  const checked = check(tree, policyEnvironment);
  const within = (node: Expression): readonly (readonly string[])[] => [
    ...(node.kind === "map" ? [node.entries.map(({ key }) => checked.types.get(key.id)?.kind ?? "dyn")] : []),
    ...childrenOf(node).flatMap(within),
  ];
  return within(checked.tree);
}
const keyKinds: ReadonlySet<string> = new Set(["bool", "int", "uint", "double", "string", "dyn"]);

/** Keys of a map literal, or of an entry that a macro makes, that may be numbers of different kinds. */
function mayMixNumbers(text: string): boolean {
  return keyTypes(text).some((types) => {
    const kinds = new Set(types.filter((kind) => mixable.has(kind)));
    return kinds.size > 1 || kinds.has("dyn") || kinds.has("double");
  });
}
const mixable: ReadonlySet<string> = new Set(["int", "uint", "double", "dyn"]);

const panics = (name: string): Row => ({
  name: `bytes in ${name}`,
  because: "the reference stumbles over itself: what fails is a Go map, which cannot hold bytes",
  explains: ({ text, aspect, theirs }) =>
    aspect !== "acceptance" && theirs.kind === "error" && theirs.message.includes("hash of unhashable type") && calls(text, name),
});

/** In a list of more than three the reference looks elements up in a Go map: 1, 1u and 1.0 are not the same there, nor two equal lists. */
const looksUp = (name: string): Row => ({
  name: `elements of different kinds in ${name}`,
  because: "semantics 7.2: common elements are equal elements; in a list of more than three the reference compares kinds too",
  explains: ({ text, aspect, theirs }) => aspect !== "acceptance" && theirs.kind === "value" && calls(text, name),
});

const listFunctions = ["hasIntersection", "has_intersection", "intersect", "isSubset", "is_subset", "except"];

const withoutOptionals: Environment = {
  ...policyEnvironment,
  functions: (name) => policyEnvironment.functions(name).filter(({ id }) => name !== "_[_]" || !id.startsWith("optional")),
};

/** Says whether our checker would side with the reference if `_[_]` had no overloads for optionals. */
function followsWithoutOptionals({ text, ours, theirs }: Case): boolean {
  const { tree } = parse(text);
  if (tree === undefined || (ours.kind === "refused") === (theirs.kind === "refused")) return false;
  return check(tree, withoutOptionals).issues.length > 0 === (theirs.kind === "refused");
}

/** Says whether it guesses more than our checker does: then a call means one overload there, and any other kind of value fails. */
function guessesWithoutOptionals({ text, theirs }: Case): boolean {
  const { tree } = parse(text);
  if (tree === undefined || theirs.kind !== "error" || !theirs.message.startsWith("no such overload")) return false;
  const ours = guessedCalls(check(tree, policyEnvironment).tree);
  return guessedCalls(check(tree, withoutOptionals).tree).some((call) => !ours.includes(call));
}

const guessedCalls = (tree: Expression): readonly string[] => [
  ...(tree.kind === "call" && tree.overload !== undefined ? [`${tree.id} ${tree.overload}`] : []),
  ...childrenOf(tree).flatMap(guessedCalls),
];

/** Says whether a text stands somewhere in an expression, however it is spelled. */
const holdsLiteral = (tree: Expression | undefined, value: string): boolean => someLiteral(tree, (text) => text === value);

/** Says whether a text of which something holds stands somewhere in an expression. */
const someLiteral = (tree: Expression | undefined, holds: (value: string) => boolean): boolean =>
  tree !== undefined &&
  ((tree.kind === "literal" && typeof tree.value === "string" && holds(tree.value)) ||
    childrenOf(tree).some((part) => someLiteral(part, holds)));

/** All rows. */
export const rows: readonly Row[] = [
  ...lackingNames.filter((name) => !methods.has(name)).map(lacks),
  validates("timestamp", /^not a valid timestamp/),
  validates("duration", /^not a valid duration/),
  validates("matches", /^not a valid (?:pattern|regular expression)/),
  validates("format", /^not a valid format|^the format has|cannot print/),
  ...listFunctions.map(hidesArgument),
  ...listFunctions.map(panics),
  ...listFunctions.map(looksUp),
  {
    name: "_[_] of a dyn",
    because:
      "D44: semantics section 11, CEL: optional types give `_[_]` more overloads, so that its result is dyn, where 0.51 guesses a type",
    explains: (difference) =>
      difference.aspect === "acceptance" ? followsWithoutOptionals(difference) : guessesWithoutOptionals(difference),
  },
  {
    name: "id() of a trust domain",
    because: "D41: it is the string `spiffe://...`; to 0.51 it is the trust domain itself, and of any other value that value",
    explains: ({ text, aspect }) => aspect !== "acceptance" && text.includes(".id()"),
  },
  {
    name: "a map literal with a key that is none",
    because: "D45 admits float keys beyond bool, int, uint and string; cel-go takes whatever Go can hash, and stumbles over bytes",
    explains: (difference) => difference.aspect !== "acceptance" && hasOddKey(difference),
  },
  {
    name: "a map literal with keys that are one number",
    because: "docs/cel.md: 1, 1u and 1.0 are one key; cel-go keeps them apart until they are looked up",
    explains: ({ text, aspect }) => aspect !== "acceptance" && mayMixNumbers(text),
  },
  {
    name: "format with more arguments than it takes",
    because: "semantics 7.3: an error at run time; cel-go ignores them there",
    explains: ({ text, aspect, ours, theirs }) =>
      aspect !== "acceptance" &&
      calls(text, "format") &&
      theirs.kind !== "refused" &&
      ours.kind === "accepted" &&
      ours.interpreted instanceof EvalError &&
      ours.interpreted.message.includes("too many arguments"),
  },
  {
    name: "format of a whole number as %e or %f",
    because: "D44: HEAD's strings extension prints it; 0.51 prints Go's complaint",
    explains: ({ text, aspect, theirs }) =>
      aspect !== "acceptance" &&
      calls(text, "format") &&
      theirs.kind === "value" &&
      (/%![ef]\(u?int64=/.test(theirs.text) || someLiteral(parse(text).tree, (value) => /%[.\d]*[ef]/.test(value))),
  },
  {
    name: "format with a precision above 100",
    because: "semantics 7.3: precision is at most 100",
    explains: ({ text, aspect, ours }) =>
      aspect !== "acceptance" &&
      calls(text, "format") &&
      ours.kind === "accepted" &&
      ours.interpreted instanceof EvalError &&
      ours.interpreted.message.includes("a precision above 100"),
  },
  {
    name: "commonAncestors of hierarchies without levels",
    because: "the reference stumbles over itself (slice bounds out of range)",
    explains: ({ text, aspect, theirs }) =>
      aspect !== "acceptance" &&
      theirs.kind === "error" &&
      theirs.message.includes("slice bounds out of range") &&
      calls(text, "commonAncestors"),
  },
  {
    name: "has() of a hierarchy",
    because: "semantics 7.1: what has no fields has none; to the reference a hierarchy is a kind of list, which cannot be asked",
    explains: ({ text, aspect, theirs }) =>
      aspect !== "acceptance" &&
      theirs.kind === "error" &&
      theirs.message.startsWith("unsupported index type 'string'") &&
      /has\(.*hierarchy/.test(text),
  },
  {
    name: "a script of several words in a pattern",
    because: "RE2 lists these names; the reference looks for them without their underscores, and finds none",
    explains: ({ aspect, theirs }) =>
      aspect !== "acceptance" && theirs.kind === "error" && /invalid character class range: `\\[pP][{]\^?[A-Za-z]+_/.test(theirs.message),
  },
  {
    name: "a time zone of three letters",
    because: "the data bases of time zones differ in what EST was before there were zones",
    explains: ({ text, aspect }) =>
      (aspect === "value" || aspect === "outcome") && /[.]get\w+\(/.test(text) && holdsLiteral(parse(text).tree, "EST"),
  },
  {
    name: "type() of a record of the request",
    because: "names of our own, neutral as on the wire (D19): the reference tells those of its messages",
    explains: ({ text, aspect, theirs }) =>
      aspect !== "acceptance" &&
      theirs.kind === "value" &&
      calls(text, "type") &&
      (theirs.text.includes("cerbos.") || (theirs.text.includes("{}") && /type\(\s*(?:request|[PR])\b/.test(text))),
  },
  {
    name: "a list in the order of the keys of a map",
    because: "there is no order: Go's is another each time, and of this value the reference prints nothing that could be compared",
    explains: ({ text, aspect, theirs }) =>
      aspect === "value" && theirs.kind === "value" && theirs.text.includes("<...>") && /[.](?:map|filter|transformList)\(/.test(text),
  },
  ...["sort", "sortBy"].map((name): Row => ({
    name: `${name} of a list with NaN`,
    because: "D44: semantics 11.1: NaN has no order, so where it and its neighbours come to stand is the algorithm's affair",
    explains: ({ text, aspect, ours }) =>
      aspect === "value" &&
      calls(text, name) &&
      ours.kind === "accepted" &&
      Array.isArray(ours.interpreted) &&
      ours.interpreted.some((element) => Number.isNaN(element)),
  })),
  {
    name: "hierarchy() of SPIFFE values or hierarchies",
    because: "D44: semantics 11.1: among the levels of a hierarchy the reference takes a SPIFFE value, or another hierarchy, for its text",
    explains: ({ text, aspect, ours, theirs }) =>
      aspect === "outcome" &&
      ours.kind === "accepted" &&
      ours.interpreted instanceof EvalError &&
      theirs.kind === "value" &&
      calls(text, "hierarchy") &&
      (/spiffe(?:ID|TrustDomain)\(/.test(text) || /hierarchy\([^]*hierarchy\(/.test(text)),
  },
  {
    name: "spiffeMatchOneOf of joined lists",
    because: "D44: semantics 11.1: the reference cannot read a list that `+` made",
    explains: ({ text, aspect, theirs }) =>
      aspect === "outcome" &&
      theirs.kind === "error" &&
      theirs.message.startsWith("no such overload") &&
      calls(text, "spiffeMatchOneOf") &&
      text.includes("+"),
  },
  {
    name: "order of a SPIFFE value",
    because: "D44: semantics 11.1: the reference panics: it takes for granted that what it compares has an order",
    explains: ({ text, aspect, theirs }) =>
      aspect === "outcome" &&
      theirs.kind === "error" &&
      theirs.message.includes("is not traits.Comparer") &&
      /[<>]|[.]sort|math[.](?:least|greatest)/.test(text),
  },
  {
    name: "order of a trust domain",
    because: "D44: semantics 11.1: to the reference a trust domain can be ordered like a text, and sorted",
    explains: ({ text, aspect, ours, theirs }) =>
      aspect === "outcome" &&
      ours.kind === "accepted" &&
      ours.interpreted instanceof EvalError &&
      theirs.kind === "value" &&
      calls(text, "spiffeTrustDomain") &&
      /[<>]|[.]sort/.test(text),
  },
  {
    name: "== of a hierarchy or SPIFFE value and another kind",
    because:
      "semantics 7.1: mixed kinds are unequal; of its own library's values the reference says `no such overload`, and takes that for equal within lists",
    explains: ({ text, aspect }) =>
      aspect !== "acceptance" && aspect !== "generated" && /hierarchy|spiffe/.test(text) && /==|!=|\bin\b/.test(text),
  },
  ...["indexOf", "lastIndexOf"].map((name): Row => ({
    name: `${name} of an empty text`,
    because: "semantics 7.3: an empty needle clamps; cel-go answers the offset as it is, wherever it points",
    explains: ({ text, aspect, theirs }) =>
      calls(text, name) &&
      (((aspect === "value" || aspect === "outcome") && theirs.kind === "value") ||
        (aspect === "error" && holdsLiteral(parse(text).tree, ""))),
  })),
  ...["all", "exists", "existsOne", "exists_one", "map", "filter", "transformList", "transformMap", "transformMapEntry"].map((macro) =>
    sentence(macro, /./, "it names the first element that fails, where cel-go goes on and names the last"),
  ),
  {
    name: "type of a variable over an empty literal",
    because: "of such a variable nothing is known until it is used; cel-go's checker meets the uses in the order of its expanded macros",
    explains: ({ text, aspect }) =>
      aspect === "acceptance" && /(?:\[\]|\{\})\)*[.](?:all|exists|existsOne|exists_one|map|filter|transform\w+|sortBy)\(/.test(text),
  },
  sentence("sortBy", /./, "a range that is no list comes before what its keys come to"),
  sentence("spiffeMatchOneOf", /^no such overload/, "it names the id that is none"),
  sentence("math.greatest", /^no such overload: math.@max/, "NaN has no order"),
  sentence("math.least", /^no such overload: math.@min/, "NaN has no order"),
  {
    name: "a variable that holds a type",
    because: "cel-go cannot plan it: a variable whose type is a type is taken for the name of a type, and the whole expression fails",
    explains: ({ aspect, theirs }) =>
      aspect !== "acceptance" && theirs.kind === "error" && theirs.message.startsWith("reference to undefined type: "),
  },
  {
    name: "_[_] with a literal that is no key",
    because: "cel-go cannot plan it: an index of null, bytes or a type fails before anything is evaluated; to us it fails where it stands",
    explains: ({ aspect, theirs }) =>
      aspect !== "acceptance" && theirs.kind === "error" && theirs.message.startsWith("invalid qualifier type: "),
  },
];
