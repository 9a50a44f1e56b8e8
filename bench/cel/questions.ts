/** The conditions that are timed, what each is about, and how many times faster than anybody else we mean to be. */

/** One row of the table. */
export interface Question {
  readonly name: string;
  readonly condition: string;
  /** At least so many times the fastest contestant that answers right. */
  readonly goal?: number;
}

/** In the order of the table. */
export const questions: readonly Question[] = [
  { name: "three terms", condition: `R.attr.owner == P.id && R.attr.amount < 1000.0 && R.attr.team in P.attr.teams`, goal: 20 },
  { name: "exists, == of 8 strings", condition: `P.attr.roles.exists(role, role == R.attr.role)`, goal: 20 },
  { name: "exists, startsWith of 8", condition: `P.attr.roles.exists(role, role.startsWith("admin"))` },
  { name: "missing, absorbed or not", condition: `R.attr.missing == "x" || R.attr.owner == P.id`, goal: 20 },
  { name: "missing, an error", condition: `R.attr.missing == "x" && R.attr.amount >= 0.0`, goal: 20 },
  { name: "missing from half", condition: `R.attr.reviewer == P.id`, goal: 20 },
  { name: "timestamps", condition: `timestamp(R.attr.createdAt) + duration("24h") > timestamp("2025-01-01T00:00:00Z")`, goal: 10 },
  { name: "timestamps, getter", condition: `timestamp(R.attr.createdAt).getHours() >= 9` },
  { name: "has", condition: `has(R.attr.reviewer) && R.attr.reviewer != P.id` },
  { name: "in a literal list", condition: `R.attr.state in ["OPEN", "PENDING", "PENDING_APPROVAL"]` },
  {
    name: "string functions",
    condition: `R.attr.name.startsWith("report-") && R.attr.name.endsWith(".pdf") && !R.attr.name.contains("draft")`,
  },
  { name: "string, lowerAscii", condition: `R.attr.state.lowerAscii() == "pending"` },
  { name: "ints", condition: `size(P.attr.teams) * 2 + size(R.attr.name) < 20` },
  { name: "doubles", condition: `R.attr.amount * 2.0 + 10.0 < P.attr.limit` },
  { name: "?: and !", condition: `!(R.attr.owner == P.id) ? R.attr.amount < 100.0 : R.attr.region != "eu"` },
  { name: "all", condition: `R.attr.tags.all(tag, tag != "OPEN")` },
  { name: "two loops", condition: `P.attr.teams.exists(team, R.attr.tags.exists(tag, tag == team))` },
  { name: "map and filter", condition: `size(P.attr.roles.filter(role, role != R.attr.role).map(role, role + "!")) == 8` },
  { name: "map literal", condition: `{"eu": "user-1000", "us": "user-1001"}[R.attr.region] == P.id` },
  { name: "matches", condition: `R.attr.name.matches("^report-[0-9]+[.]pdf$")` },
  { name: "one attribute, thrice", condition: `R.attr.amount > 10.0 && R.attr.amount < 1000.0 && R.attr.amount != 500.0` },
];
