/** What each function and operator does, in one sentence for policy authors; by family, as the reference prints them. */

/** Name of a function or operator -> its sentence. */
export type Sentences = { readonly [name: string]: string };

const operators: Sentences = {
  "_+_":
    "Adds numbers of the same type, adds a duration to a timestamp, joins strings, bytes or lists. Number types do not mix: an attribute is a double, so write `R.attr.n + 1.0`.",
  "_-_": "Subtracts numbers of the same type, a timestamp or a duration from a timestamp, a duration from a duration.",
  "_*_": "Multiplies numbers of the same type.",
  "_/_": "Divides numbers of the same type; an int is truncated toward zero, a double divided by zero is infinite.",
  "_%_": "The remainder of dividing ints or uints, with the sign of the dividend.",
  "-_": "Negates a number. An attribute is a double.",
  "_==_":
    "Whether two values are equal. Numbers of all types are compared by value; values of different kinds are unequal, never an error; lists and maps are compared with everything in them.",
  "_!=_": "The opposite of `==`.",
  "@in": "Whether a list contains an element, or a map a key.",
  "_[_]": "The element at a position of a list, counted from 0, or the value for a key of a map; if it does not exist, an error.",
  "!_": "The opposite of a boolean.",
  "_&&_": "True if both sides are; if one side is false, the result is false, even if the other is an error.",
  "_||_": "True if one side is, even if the other is an error.",
  "_?_:_": "The second value if the condition is true, the third if it is false; the other one is not evaluated.",
};

const ordered = "Numbers of all types are ordered by value, strings by code points, bytes by bytes; NaN is an error.";

const orderings: Sentences = {
  "_<_": `Whether the left comes before the right. ${ordered}`,
  "_<=_": "Whether the left comes before the right or is equal.",
  "_>_": "Whether the left comes after the right.",
  "_>=_": "Whether the left comes after the right or is equal.",
};

const sizes: Sentences = {
  size: "Counts the characters (code points) of a string, the bytes, the elements of a list, the entries of a map.",
};

const conversions: Sentences = {
  bool: "Reads a boolean: `1 t T true TRUE True` and `0 f F false FALSE False`.",
  bytes: "The UTF-8 bytes of a string.",
  double: "Converts a number to the nearest double; reads a string that is a decimal number, `NaN` or `Infinity`.",
  duration: "Reads a duration: numbers with `h m s ms us ns`, such as `1h30m`.",
  dyn: "The value itself; the checker no longer assumes anything about its type.",
  int: "A whole number: truncates a double toward zero, reads decimal digits, counts the seconds from 1970 to a timestamp or the nanoseconds of a duration.",
  string: "A value as a string. A double of a million or more, or less than 0.0001, is written with an exponent.",
  timestamp: "Reads an RFC 3339 timestamp, or takes a number of seconds since 1970. The year is 1 to 9999.",
  type: "The type of a value, to compare with `int`, `string`, `list`, `google.protobuf.Timestamp` and so on.",
  uint: "A whole number that is not negative.",
};

const times: Sentences = {
  getFullYear: "The year, in UTC or in a time zone (`America/New_York`, `+05:30`).",
  getMonth: "The month, 0 is January.",
  getDayOfYear: "The day of the year, 0 is the first.",
  getDayOfMonth: "The day of the month, 0 is the first.",
  getDate: "The day of the month, 1 is the first.",
  getDayOfWeek: "The day of the week, 0 is Sunday.",
  getHours: "The hour of the day; the whole hours of a duration.",
  getMinutes: "The minute of the hour; the whole minutes of a duration.",
  getSeconds: "The second of the minute; the whole seconds of a duration.",
  getMilliseconds: "The millisecond of the second; the whole milliseconds of a duration.",
};

const optionals: Sentences = {
  "optional.of": "An optional with a value.",
  "optional.ofNonZeroValue": "An optional with a value, or without one if the value is zero, empty, false or null.",
  "optional.none": "The optional without a value.",
  hasValue: "Whether an optional has a value.",
  value: "The value of an optional; an error if it has none.",
  or: "The optional itself, or the other one if it has no value.",
  orValue: "The value of an optional, or the given one if it has none.",
  "optional.unwrap": "The values of those optionals in a list that have one.",
  unwrapOpt: "The values of those optionals in a list that have one.",
  "_?._": "A field as an optional, without a value if the field does not exist.",
  "_[_]": "A part of the value of an optional, as an optional.",
  "_[?_]": "An element, or the value for a key, as an optional, without a value if it does not exist.",
};

const encoders: Sentences = {
  "base64.encode": "Encodes bytes as base64, with padding.",
  "base64.decode": "Decodes base64, with or without padding.",
  "json.encode": "Writes a value as compact JSON.",
};

const lists: Sentences = {
  slice: "The elements from one position up to another, which is not included.",
  flatten: "Replaces inner lists by their elements, one level deep or as many as given.",
  "lists.range": "The whole numbers from 0 up to a number, which is not included.",
  distinct: "The elements without repetitions.",
  reverse: "The elements from last to first.",
  sort: "The elements in ascending order; all must have the same type.",
  first: "The first element as an optional.",
  last: "The last element as an optional.",
  "sets.contains": "Whether the first list contains every element of the second.",
  "sets.equivalent": "Whether each of two lists contains every element of the other.",
  "sets.intersects": "Whether two lists have an element in common.",
};

const math: Sentences = {
  "math.greatest": "The greatest of several numbers, or of a list; of equal ones, the first.",
  "math.least": "The least of several numbers, or of a list; of equal ones, the first.",
  "math.ceil": "The number rounded up to a whole number.",
  "math.floor": "The number rounded down to a whole number.",
  "math.round": "The nearest whole number; a half is rounded away from zero.",
  "math.trunc": "The number without its decimals.",
  "math.abs": "The number without its sign.",
  "math.sign": "-1 for a negative number, 0 for zero, 1 for a positive one.",
  "math.sqrt": "The square root; NaN for a negative number.",
  "math.isInf": "Whether a double is infinite.",
  "math.isNaN": "Whether a double is NaN, not a number.",
  "math.isFinite": "Whether a double is neither infinite nor NaN.",
  "math.bitAnd": "The bits that are set in both.",
  "math.bitOr": "The bits that are set in one or both.",
  "math.bitXor": "The bits that are set in one but not both.",
  "math.bitNot": "The bits that are not set.",
  "math.bitShiftLeft": "Shifts the bits to the left; a shift by 64 or more gives 0.",
  "math.bitShiftRight": "Shifts the bits to the right and fills with zeros; a shift by 64 or more gives 0.",
};

const network: Sentences = {
  ip: "Reads an IPv4 or IPv6 address; for a range, the address it was written with.",
  isIP: "Whether a string is an address.",
  cidr: "Reads a range of addresses in CIDR notation.",
  isCIDR: "Whether a string is a range of addresses.",
  "ip.isCanonical": "Whether an address is written in its shortest form.",
  family: "The version of an address, 4 or 6.",
  isUnspecified: "Whether an address is `0.0.0.0` or `::`.",
  isLoopback: "Whether an address is in `127.0.0.0/8` or is `::1`.",
  isGlobalUnicast: "Whether an address is an ordinary one, not a loopback, multicast, link-local, broadcast or unspecified address.",
  isLinkLocalMulticast: "Whether an address is in `224.0.0.0/24` or `ff02::/16`.",
  isLinkLocalUnicast: "Whether an address is in `169.254.0.0/16` or `fe80::/10`.",
  containsIP: "Whether a range contains an address.",
  containsCIDR: "Whether a range contains another.",
  masked: "The range with all bits after its prefix cleared.",
  isMask: "Whether no bit after the prefix is set.",
  prefixLength: "How many leading bits the addresses share.",
  string: "An address or a range as a string.",
};

const regularExpressions: Sentences = {
  "regex.replace": "Replaces all matches of an RE2 pattern, or the first few; `\\1` inserts the first group, `\\\\` a backslash.",
  "regex.extract": "The first match of a pattern, or of its only group, as an optional.",
  "regex.extractAll": "All matches of a pattern, or of its only group if that is not empty.",
};

const strings: Sentences = {
  contains: "Whether a string contains another.",
  startsWith: "Whether a string begins with another.",
  endsWith: "Whether a string ends with another.",
  matches: "Whether an RE2 pattern matches anywhere in a string; `^` and `$` tie it to the ends. Every pattern takes linear time.",
  charAt: "The character at a position, counted from 0; just after the last one, the empty string.",
  indexOf: "The first position of a string, optionally from a position on; -1 if there is none.",
  lastIndexOf: "The last position of a string, optionally up to a position; -1 if there is none.",
  substring: "The characters from a position up to the end, or up to another position, which is not included.",
  lowerAscii: "Changes A-Z to a-z, and nothing else.",
  upperAscii: "Changes a-z to A-Z, and nothing else.",
  trim: "The string without white space at its ends.",
  reverse: "The characters from last to first.",
  replace: "Replaces all occurrences of a string, or the first few.",
  split:
    "The parts between separators, optionally a limited number, with the rest in the last one; an empty separator splits into characters.",
  join: "Joins the strings of a list, optionally with a separator between them.",
  format:
    "Inserts values: `%s` anything, `%d` a number, `%f` and `%e` with decimals (`%.2f`), `%b` `%o` `%x` `%X` in other bases, `%%` a percent sign.",
  "strings.quote": "The string in quotes, escaped as a literal.",
};

const policy: Sentences = {
  except: "The elements of the first list that are not in the second.",
  hasIntersection: "Whether two lists have an element in common.",
  has_intersection: "The former name of `hasIntersection`.",
  intersect: "The elements of the shorter list that are also in the other, in their order.",
  isSubset: "Whether the second list contains every element of the first.",
  is_subset: "The former name of `isSubset`.",
  inIPAddrRange: "Whether an address is in a range; an IPv4 address written as IPv6 counts as IPv4.",
  now: "The time of the request, the same for everything in it. As a string, it has the offset of the server's time zone.",
  timeSince: "The time from a timestamp to the time of the request.",
  id: "The value itself.",
};

const paths: Sentences = {
  basePath: "The last element of a path.",
  dirPath: "The path without its last element; a root stays as it is.",
  extPath: "The extension of the last element, from its last dot on.",
  joinPath: "Joins several paths into one, in the style of the first.",
  pathHasPrefix: "Whether a path is another one or below it. A name directly below it that begins with a dot does not count.",
  pathMatch: "Whether a pattern matches a whole path: `*` and `?` do not match separators, `[a-z]` is one character.",
  pathMatchAnyOf: "Whether one of several patterns matches a whole path.",
  relPath: "The relative path from one path to another; an error if their names alone do not tell it.",
  volumeName: "The drive, or host and share, of a Windows path.",
};

const hierarchies: Sentences = {
  hierarchy: "A name with levels, split at dots or at a delimiter, or made from a list.",
  ancestorOf: "Whether the other begins with this one and is longer.",
  descendentOf: "Whether this one begins with the other and is longer.",
  immediateParentOf: "Whether the other is this one with one more level.",
  immediateChildOf: "Whether this one is the other with one more level.",
  overlaps: "Whether one begins with the other, or they are equal.",
  siblingOf: "Whether both are equally long and differ at most in the last level.",
  commonAncestors: "The levels that both begin with; if both are equally long, the last level does not count.",
  size: "Counts the levels.",
  "_[_]": "The level at a position, counted from 0.",
};

const spiffe: Sentences = {
  spiffeID: "Reads a SPIFFE ID.",
  path: "The path of an ID; empty if it has none.",
  trustDomain: "The trust domain of an ID.",
  isMemberOf: "Whether an ID belongs to a trust domain.",
  spiffeTrustDomain: "Reads a trust domain, from its name or from an ID.",
  name: "The name of a trust domain.",
  id: "The ID of a trust domain, as a string.",
  spiffeMatchAny: "A matcher for any ID.",
  spiffeMatchExact: "A matcher for one ID.",
  spiffeMatchOneOf: "A matcher for several IDs.",
  spiffeMatchTrustDomain: "A matcher for the IDs of a trust domain.",
  matchesID: "Whether a matcher matches an ID.",
};

/** The sentences of each family, under the name that its rows have. */
export const sentences = {
  operators,
  orderings,
  sizes,
  conversions,
  times,
  optionals,
  encoders,
  lists,
  math,
  network,
  regularExpressions,
  strings,
  policy,
  paths,
  hierarchies,
  spiffe,
} as const;
