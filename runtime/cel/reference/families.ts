/** The chapters of the function reference, in the order of `functionRows`. */
import type { FunctionRow } from "../declare.ts";
import { conversions } from "../functions/conversions.ts";
import { encoders } from "../functions/encoders.ts";
import { hierarchies } from "../functions/hierarchies.ts";
import { lists } from "../functions/lists.ts";
import { math } from "../functions/math.ts";
import { network } from "../functions/network.ts";
import { operators } from "../functions/operators.ts";
import { optionals } from "../functions/optionals.ts";
import { orderings } from "../functions/orderings.ts";
import { paths } from "../functions/paths.ts";
import { policy } from "../functions/policy.ts";
import { regularExpressions } from "../functions/regular-expressions.ts";
import { sizes } from "../functions/sizes.ts";
import { spiffe } from "../functions/spiffe.ts";
import { strings } from "../functions/strings.ts";
import { times } from "../functions/times.ts";
import { type Sentences, sentences } from "./sentences.ts";

/** One chapter: a family of functions. */
export interface Family {
  readonly title: string;
  readonly about: string;
  readonly rows: readonly FunctionRow[];
  readonly sentences: Sentences;
}

export const families: readonly Family[] = [
  {
    title: "Operators",
    rows: operators,
    sentences: sentences.operators,
    about:
      "An integer that does not fit into 64 bits is an error; a double never is. Lists of more than a million elements and strings of more than sixteen million characters are errors too.",
  },
  {
    title: "Order",
    rows: orderings,
    sentences: sentences.orderings,
    about: "Lists, maps and values of different kinds have no order.",
  },
  { title: "Size", rows: sizes, sentences: sentences.sizes, about: "`size(x)` and `x.size()` are the same." },
  {
    title: "Conversions",
    rows: conversions,
    sentences: sentences.conversions,
    about: "A value that cannot be converted is an error. A literal that cannot be converted is refused when the policy is compiled.",
  },
  {
    title: "Time",
    rows: times,
    sentences: sentences.times,
    about: 'Time zones are names of the IANA database, `""` for UTC, or an offset such as `-05:30`.',
  },
  {
    title: "Optional values",
    rows: optionals,
    sentences: sentences.optionals,
    about: '`R.attr.?team.orValue("none")` reads an attribute that may be missing.',
  },
  { title: "Encodings", rows: encoders, sentences: sentences.encoders, about: "Values as strings, and back." },
  { title: "Lists", rows: lists, sentences: sentences.lists, about: "Elements are compared as by `==`." },
  {
    title: "Mathematics",
    rows: math,
    sentences: sentences.math,
    about: "Attributes are doubles: `math.round` accepts them as they are, but a literal needs a decimal point.",
  },
  {
    title: "Network addresses",
    rows: network,
    sentences: sentences.network,
    about: "Addresses with a zone are errors here, and so are IPv4 addresses written as IPv6; `inIPAddrRange` accepts the latter.",
  },
  {
    title: "Regular expressions",
    rows: regularExpressions,
    sentences: sentences.regularExpressions,
    about: "Patterns are those of RE2 and take linear time.",
  },
  {
    title: "Strings",
    rows: strings,
    sentences: sentences.strings,
    about: "Positions and lengths count characters (Unicode code points), from 0.",
  },
  {
    title: "Policies",
    rows: policy,
    sentences: sentences.policy,
    about: "Lists as sets, addresses, and the time of the request.",
  },
  {
    title: "File paths",
    rows: paths,
    sentences: sentences.paths,
    about:
      "A path is a Unix path or, if it contains a backslash, a Windows path: with a drive, `C:\\a`, a share, `\\\\host\\share\\a`, or neither, `a\\b`. A drive with slashes, `C:/a`, is an error. Paths are cleaned: `.`, `..` and double separators are resolved by name, and `..` does not leave a drive or a share. No file system is asked.",
  },
  { title: "Hierarchies", rows: hierarchies, sentences: sentences.hierarchies, about: "Names in levels, such as `acme.hr.uk`." },
  {
    title: "SPIFFE",
    rows: spiffe,
    sentences: sentences.spiffe,
    about: "Identities of workloads. An invalid ID is an error.",
  },
];
