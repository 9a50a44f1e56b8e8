/** Calls of what the reference does not have yet: that it refuses them is a difference too, and each has its row. */
import type { Random } from "../agree/random.ts";

const calls = [
  'json.encode({"a": 1})',
  "[1, 2].first()",
  "[1, 2].last()",
  'isIP("10.0.0.1")',
  'isCIDR("10.0.0.0/8")',
  'ip.isCanonical("::1")',
  'ip("10.0.0.1")',
  'cidr("10.0.0.0/8")',
  "sets.contains([1, 2], [1])",
  "sets.equivalent([1], [1])",
  "sets.intersects([1], [2])",
  'regex.replace("ab", "a", "b")',
  'regex.extract("ab", "a")',
  'regex.extractAll("ab", "a")',
  "optional.of(1)",
  "optional.none()",
  "optional.ofNonZeroValue(0)",
  "optional.unwrap([])",
];

/** Writes one. */
export const writeLacking = (random: Random): string => random.pick(calls);
