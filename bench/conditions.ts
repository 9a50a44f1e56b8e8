/** A thousand distinct conditions such as policies have: the patterns are real ones, what they name varies. Nothing is random. */

/** `@` stands for an attribute, `$` for a word, `#` for a number, `~` for a date. */
const patterns = [
  // Who owns it, who is in it.
  `R.attr.@ == P.id`,
  `request.resource.attr.@ == request.principal.id`,
  `R.attr.@ != request.principal.id`,
  `P.attr.@ == R.attr.@`,
  `request.resource.attr.@ == variables.@`,
  `P.id in R.attr.@`,
  `R.attr.@ in P.attr.@`,
  `R.attr.@ in request.principal.attr.@`,
  `"$" in P.roles`,
  `"$" in request.principal.roles && R.attr.@ == P.id`,
  `"$" in runtime.effectiveDerivedRoles`,
  `!("$" in runtime.effectiveDerivedRoles)`,
  `"$" in request.aux_data.jwt.aud`,
  `"$" in request.auxData.jwts.token.claims.@`,
  `R.id.startsWith(P.id + "/")`,
  `R.kind == "$" && R.attr.@ == "$"`,
  `R.attr.@ == P.id || P.id in R.attr.@`,
  `R.attr.@ == P.id && R.attr.@ < #.0 && R.attr.@ in P.attr.@`,
  // States and flags.
  `R.attr.@ == "$"`,
  `request.resource.attr.@ == "$"`,
  `R.attr.@ == true`,
  `!(R.attr.@ == true)`,
  `R.attr.@ || P.attr.@`,
  `P.attr.@ == "$"`,
  `R.attr.@ in ["$", "$", "$"]`,
  `R.attr.@ in ["$", "$"] && R.attr.@ != "$"`,
  `R.attr.@ == P.attr.@ && !(R.attr.@ in ["$", "$"])`,
  `R.attr.@ == "$" && "$" in P.roles && size(P.roles) == #`,
  `R.attr.@ == null || R.attr.@ == P.attr.@`,
  `R.attr.@ ? R.attr.@ == P.attr.@ : !(R.attr.@ != P.id)`,
  `(R.attr.tags.@ in P.attr.tags.@) || ("*" in P.attr.tags.@)`,
  `has(R.attr.@) && R.attr.@ != null`,
  `has(R.attr.@) && R.attr.@ == "$"`,
  `!has(P.attr.@) || P.attr.@ == "$"`,
  `has(request.resource.policy_version) && request.resource.policy_version == "$"`,
  `R.scope == "" || R.scope.startsWith("$.")`,
  `V.@`,
  `V.@ && P.attr.@ == "$"`,
  `V.@ == P.attr.@ && V.@ in C.@`,
  `variables.@ == "$" || R.attr.@ == C.@`,
  `globals.@ == "$"`,
  // Numbers.
  `R.attr.@ > #.0`,
  `R.attr.@ <= #`,
  `request.resource.attr.@ > #`,
  `R.attr.@ < C.@ && R.attr.@ > constants.@`,
  `P.attr.@ >= # && R.attr.@ < #.5`,
  `R.attr.@ + R.attr.@ <= P.attr.@`,
  `R.attr.@ * 2.0 - #.0 < P.attr.@`,
  `size(R.attr.@) * 2 + 1 < #`,
  `R.attr.@.size() > 0 && size(P.attr.@) <= #`,
  `int(R.attr.@) % # == 1`,
  `cel.bind(load, P.attr.@ + P.attr.@, load >= 0.0 && load < #.0)`,
  // Texts.
  `R.attr.@.startsWith("$") && !R.attr.@.endsWith(".$")`,
  `R.attr.@.contains("$")`,
  `R.attr.@.matches("^$-[0-9]{#}")`,
  `R.attr["$"].lowerAscii() == "$"`,
  `P.attr.@.endsWith("example.com") || P.attr.@ == "$"`,
  `R.attr.@.split("/")[0] == P.attr.@`,
  // Lists and maps.
  `P.attr.@.exists(t, t == R.attr.@)`,
  `P.attr.@.all(t, t.startsWith(R.attr.@))`,
  `R.attr.@.exists(team, team in P.attr.@)`,
  `!R.attr.@.exists(label, label.startsWith("$:") || label == "$")`,
  `R.attr.@.filter(person, person.@ == "$").map(person, person.id) == [P.id]`,
  `P.attr.@.filter(w, w.role == "$").all(w, w.name.startsWith("$"))`,
  `R.attr.@.exists_one(item, item.@ && item.@ == "$")`,
  `P.attr.@ in (R.attr.@.map(account, account.id))`,
  `P.attr.@[R.attr.@].role == "$"`,
  `P.id in R.attr.@ && R.attr.@[P.id] == "$"`,
  `{"$": #, "$": #}[R.attr.@] >= 10`,
  `hasIntersection(R.attr.@, P.attr.@)`,
  `intersect(R.attr.@, P.attr.@) == []`,
  `isSubset(R.attr.@, ["$", "$", "$"])`,
  `hierarchy(R.attr.@).ancestorOf(hierarchy(P.attr.@))`,
  // Times and addresses.
  `timestamp(R.attr.@) + duration("24h") > timestamp("~T00:00:00Z")`,
  `timestamp(R.attr.@) >= timestamp("~T00:00:00Z") && now() - timestamp(R.attr.@) < duration("72h")`,
  `timestamp(request.resource.attr.@).timeSince() < duration("24h")`,
  `timestamp(R.attr.@).getHours("Europe/Berlin") >= 8 && timestamp(R.attr.@).getDayOfWeek() in [1, 2, 3, 4, 5]`,
  `P.attr.@.inIPAddrRange("10.20.0.0/16")`,
  `(P.attr.@.inIPAddrRange("192.168.0.0/24") ? "$" : "") == R.attr.@`,
];

const attributes = (
  "owner ownerId team teamId department geography status state amount limit public deleted locked hidden region country " +
  "tenantId orgId groupId workspace workspaces members reviewers approvers createdAt modifiedAt expiresAt clearance level category " +
  "labels tags project manager salary currency customer priority score email"
).split(" ");
const words = (
  "OPEN DRAFT PENDING_APPROVAL PAID ARCHIVED SIGNED admin auditor clerk employee manager contractor design marketing sales finance " +
  "eu us apac internal secret premium album expense invoice report leave contract default organization"
).split(" ");

/** The variation of a pattern: what it names moves on from one place to the next, and from one variation to the next. */
function vary(pattern: string, variation: number): string {
  let place = 0;
  const next = (step: number): number => variation * step + place++ * 5;
  return pattern.replaceAll(/[@$#~]/g, (slot) => {
    if (slot === "@") return attributes[next(7) % attributes.length] ?? slot;
    if (slot === "$") return words[next(11) % words.length] ?? slot;
    if (slot === "#") return String(1 + (next(13) % 97));
    return `20${20 + (next(3) % 8)}-0${1 + (variation % 9)}-1${variation % 10}`;
  });
}

/** The conditions: every pattern once, then every pattern varied, until there are a thousand. */
export const conditions: readonly string[] = (() => {
  const distinct = new Set<string>();
  for (let variation = 0; distinct.size < 1000; variation++) {
    for (const pattern of patterns) if (distinct.size < 1000) distinct.add(vary(pattern, variation));
  }
  return [...distinct];
})();
