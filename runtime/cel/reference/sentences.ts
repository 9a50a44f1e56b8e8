/** What each function and operator does, in one sentence for the author of a policy; family by family, as the reference prints them. */

/** Name of a function or operator -> its sentence. */
export type Sentences = { readonly [name: string]: string };

const operators: Sentences = {
  "_+_":
    "Adds numbers of one kind, moves an instant by a span, joins strings, bytes and lists. Kinds of numbers do not mix: an attribute is a double, so write `R.attr.n + 1.0`.",
  "_-_": "Subtracts numbers of one kind, an instant or a span from an instant, a span from a span.",
  "_*_": "Multiplies numbers of one kind.",
  "_/_": "Divides numbers of one kind; an int is cut toward zero, a double divided by zero is infinite.",
  "_%_": "What is left of a division of ints or uints, with the sign of the dividend.",
  "-_": "Turns the sign. Of attributes that is a double's.",
  "_==_":
    "Says whether two values are equal. Numbers of whatever kind are compared by value; values of different kinds are unequal, never an error; lists and maps are compared with all that is in them.",
  "_!=_": "The opposite of `==`.",
  "@in": "Says whether a list has an element, or a map a key.",
  "_[_]": "An element of a list by its position from 0, or the value under a key of a map; what is not there is an error.",
  "!_": "True of false, false of true.",
  "_&&_": "True when both sides are; a side that is false decides, even beside an error.",
  "_||_": "True when a side is; a side that is true decides, even beside an error.",
  "_?_:_": "The second value when the condition is true, the third when it is false; the other one is not evaluated.",
};

const ordered = "Numbers of all kinds are ordered by value, strings by code points, bytes by bytes; a NaN is an error.";

const orderings: Sentences = {
  "_<_": `Says whether the left comes before the right. ${ordered}`,
  "_<=_": "Says whether the left comes before the right or is equal.",
  "_>_": "Says whether the left comes after the right.",
  "_>=_": "Says whether the left comes after the right or is equal.",
};

const sizes: Sentences = {
  size: "Counts the characters (code points) of a string, the bytes, the elements of a list, the entries of a map.",
};

const conversions: Sentences = {
  bool: "Reads a boolean: `1 t T true TRUE True` and `0 f F false FALSE False`.",
  bytes: "The UTF-8 bytes of a string.",
  double: "The nearest double; of a string that is a decimal number, `NaN` or `Infinity`.",
  duration: "Reads a span of time: numbers with `h m s ms us ns`, such as `1h30m`.",
  dyn: "The value itself, of which the checker then assumes nothing.",
  int: "A whole number: cuts a double toward zero, reads decimal digits, counts the seconds of an instant since 1970 or the nanoseconds of a span.",
  string: "The text of a value. A double of a million or more, or less than 0.0001, is written with an exponent.",
  timestamp: "Reads an instant as RFC 3339 has it, or counts seconds since 1970. Its year is 1 to 9999.",
  type: "The type of a value, to be compared with `int`, `string`, `list`, `google.protobuf.Timestamp` and so on.",
  uint: "A whole number that is not negative.",
};

const times: Sentences = {
  getFullYear: "The year, in UTC or in a time zone (`America/New_York`, `+05:30`).",
  getMonth: "The month, 0 is January.",
  getDayOfYear: "The day of the year, 0 is the first.",
  getDayOfMonth: "The day of the month, 0 is the first.",
  getDate: "The day of the month, 1 is the first.",
  getDayOfWeek: "The day of the week, 0 is Sunday.",
  getHours: "The hour of the day; of a span, how many whole hours it has.",
  getMinutes: "The minute of the hour; of a span, how many whole minutes it has.",
  getSeconds: "The second of the minute; of a span, how many whole seconds it has.",
  getMilliseconds: "The millisecond of the second; of a span, how many whole milliseconds it has.",
};

const optionals: Sentences = {
  "optional.of": "An optional that holds a value.",
  "optional.ofNonZeroValue": "An optional that holds a value, or none where the value is zero, empty, false or null.",
  "optional.none": "The optional that holds nothing.",
  hasValue: "Says whether an optional holds a value.",
  value: "The value an optional holds; none is an error.",
  or: "The optional itself, or the other one where it is none.",
  orValue: "The value an optional holds, or another one.",
  "optional.unwrap": "The values of the optionals in a list that hold one.",
  unwrapOpt: "The values of the optionals in a list that hold one.",
  "_?._": "A field as an optional: none where it is not there.",
  "_[_]": "A part of what an optional holds, as an optional.",
  "_[?_]": "An element or the value under a key as an optional: none where it is not there.",
};

const encoders: Sentences = {
  "base64.encode": "Writes bytes as base64, with padding.",
  "base64.decode": "Reads base64, with or without padding.",
  "json.encode": "Writes a value as compact JSON.",
};

const lists: Sentences = {
  slice: "The elements from a position up to another, which is not included.",
  flatten: "Puts the elements of inner lists in their place, one level deep or as many as given.",
  "lists.range": "The whole numbers from 0 up to a number, which is not included.",
  distinct: "The elements without those that are equal to one before them.",
  reverse: "The elements from last to first.",
  sort: "The elements in order; all must be of one kind.",
  first: "The first element as an optional.",
  last: "The last element as an optional.",
  "sets.contains": "Says whether the first list has every element of the second.",
  "sets.equivalent": "Says whether each of two lists has every element of the other.",
  "sets.intersects": "Says whether two lists have an element in common.",
};

const math: Sentences = {
  "math.greatest": "The greatest of some numbers, or of a list of them; the first one of equals.",
  "math.least": "The least of some numbers, or of a list of them; the first one of equals.",
  "math.ceil": "The next whole number that is not less.",
  "math.floor": "The next whole number that is not more.",
  "math.round": "The nearest whole number; half goes away from zero.",
  "math.trunc": "The number without its fraction.",
  "math.abs": "The number without its sign.",
  "math.sign": "-1, 0 or 1.",
  "math.sqrt": "The square root; of less than zero it is NaN.",
  "math.isInf": "Says whether a double is infinite.",
  "math.isNaN": "Says whether a double is not a number.",
  "math.isFinite": "Says whether a double is neither infinite nor NaN.",
  "math.bitAnd": "The bits that are set in both.",
  "math.bitOr": "The bits that are set in one or both.",
  "math.bitXor": "The bits that are set in one but not both.",
  "math.bitNot": "The bits that are not set.",
  "math.bitShiftLeft": "Moves the bits up; by 64 or more nothing is left.",
  "math.bitShiftRight": "Moves the bits down and fills up with zeros; by 64 or more nothing is left.",
};

const network: Sentences = {
  ip: "Reads an address, version 4 or 6; of a range, the address it was written with.",
  isIP: "Says whether a string is an address.",
  cidr: "Reads a range of addresses.",
  isCIDR: "Says whether a string is a range of addresses.",
  "ip.isCanonical": "Says whether an address is written in its shortest form.",
  family: "4 or 6.",
  isUnspecified: "Says whether an address is `0.0.0.0` or `::`.",
  isLoopback: "Says whether an address is in `127.0.0.0/8` or is `::1`.",
  isGlobalUnicast: "Says whether an address is an ordinary one: no loopback, multicast, link-local, broadcast or unspecified one.",
  isLinkLocalMulticast: "Says whether an address is in `224.0.0.0/24` or `ff02::/16`.",
  isLinkLocalUnicast: "Says whether an address is in `169.254.0.0/16` or `fe80::/10`.",
  containsIP: "Says whether a range holds an address.",
  containsCIDR: "Says whether a range holds another.",
  masked: "The range with the bits behind its prefix cleared.",
  isMask: "Says whether no bit behind the prefix is set.",
  prefixLength: "How many leading bits the addresses share.",
  string: "The text of an address or a range.",
};

const regularExpressions: Sentences = {
  "regex.replace":
    "Replaces what an RE2 pattern finds, everywhere or the first few times; `\\1` puts in the first group, `\\\\` a backslash.",
  "regex.extract": "What a pattern finds first, or its one group, as an optional.",
  "regex.extractAll": "All that a pattern finds, or its one group wherever that is not empty.",
};

const strings: Sentences = {
  contains: "Says whether a string has another in it.",
  startsWith: "Says whether a string begins with another.",
  endsWith: "Says whether a string ends with another.",
  matches:
    "Says whether an RE2 pattern is found anywhere in a string: `^` and `$` tie it to the ends. Time is linear, whatever the pattern.",
  charAt: "The character at a position from 0; right behind the last it is empty.",
  indexOf: "Where a string is found first, perhaps from a position on; -1 where it is not.",
  lastIndexOf: "Where a string is found last, perhaps up to a position; -1 where it is not.",
  substring: "The characters from a position, up to the end or another position, which is not included.",
  lowerAscii: "Changes A to Z to a to z, and nothing else.",
  upperAscii: "Changes a to z to A to Z, and nothing else.",
  trim: "The string without white space at its ends.",
  reverse: "The characters from last to first.",
  replace: "Replaces a string in a string, everywhere or the first few times.",
  split: "The pieces between separators, perhaps so many at most, the last one unsplit; the empty separator splits characters.",
  join: "The strings of a list one behind the other, perhaps with a separator between them.",
  format:
    "Fills values in: `%s` anything, `%d` a number, `%f` and `%e` with digits (`%.2f`), `%b` `%o` `%x` `%X` in other bases, `%%` the sign itself.",
  "strings.quote": "The string in quotes, escaped as a literal.",
};

const policy: Sentences = {
  except: "The elements of the first list that the second does not have.",
  hasIntersection: "Says whether two lists have an element in common.",
  has_intersection: "The former name of `hasIntersection`.",
  intersect: "The elements of the shorter list that the other has too, in their order.",
  isSubset: "Says whether the second list has every element of the first.",
  is_subset: "The former name of `isSubset`.",
  inIPAddrRange: "Says whether an address lies in a range; version 4 written as version 6 counts as version 4.",
  now: "The instant of the request, the same one for everything in it. As a text it has the offset of the time zone that the server runs in.",
  timeSince: "How long an instant lies before that of the request.",
  id: "The value itself.",
};

const paths: Sentences = {
  basePath: "The last element of a path.",
  dirPath: "The path without its last element; a root stays as it is.",
  extPath: "The end of the last element from its last dot on.",
  joinPath: "One path of several, in the style of the first.",
  pathHasPrefix:
    "Says whether a path is another one or lies under it. What lies right under it with a name that begins with a dot does not count.",
  pathMatch: "Says whether a pattern matches a whole path: `*` and `?` stop at a separator, `[a-z]` is one character.",
  pathMatchAnyOf: "Says whether one of several patterns matches.",
  relPath: "The way from one path to another; by names alone there must be one.",
  volumeName: "The drive, or host and share, of a Windows path.",
};

const hierarchies: Sentences = {
  hierarchy: "A name in levels, split at dots or at a delimiter, or made of a list.",
  ancestorOf: "Says whether the other begins with this one and is longer.",
  descendentOf: "Says whether this one begins with the other and is longer.",
  immediateParentOf: "Says whether the other is this one and one level more.",
  immediateChildOf: "Says whether this one is the other and one level more.",
  overlaps: "Says whether one begins with the other, or they are equal.",
  siblingOf: "Says whether both are equally long and differ in the last level at most.",
  commonAncestors: "The levels that both begin with; of two equally long ones the last level does not count.",
  size: "Counts the levels.",
  "_[_]": "A level by its position from 0.",
};

const spiffe: Sentences = {
  spiffeID: "Reads a SPIFFE ID.",
  path: "The path of an ID, empty where it has none.",
  trustDomain: "The trust domain of an ID.",
  isMemberOf: "Says whether an ID is of a trust domain.",
  spiffeTrustDomain: "Reads a trust domain, bare or from a whole ID.",
  name: "The name of a trust domain.",
  id: "The ID of a trust domain, as a string.",
  spiffeMatchAny: "A matcher for any ID.",
  spiffeMatchExact: "A matcher for one ID.",
  spiffeMatchOneOf: "A matcher for some IDs.",
  spiffeMatchTrustDomain: "A matcher for the IDs of a trust domain.",
  matchesID: "Says whether a matcher takes an ID.",
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
