/** The requests that conditions are asked about: 256 different ones, of several shapes of object, as `JSON.parse` leaves them. */

/** What a condition sees. */
export interface Input {
  readonly P: { readonly id: string; readonly attr: { readonly [name: string]: unknown } };
  readonly R: { readonly id: string; readonly kind: string; readonly attr: { readonly [name: string]: unknown } };
}

const teams = ["design", "payments", "infrastructure", "legal", "support", "marketing"];
const roles = ["employee", "reviewer", "contractor", "auditor", "team-manager", "administrator", "payroll-clerk", "guest"];
const regions = ["eu", "us", "ap", "af"];
const states = ["OPEN", "PENDING", "PENDING_APPROVAL", "PAID", "ARCHIVED"];
const pick = <T>(from: readonly T[], at: number): T | undefined => from[at % from.length];
const two = (n: number): string => String(n).padStart(2, "0");

/** RFC 3339, with and without a fraction, in UTC and elsewhere, around the turn of 2025. */
const instant = (at: number): string =>
  `${2024 + (at % 2)}-${two(1 + (at % 12))}-${two(1 + ((at * 7) % 28))}T${two(at % 24)}:${two((at * 11) % 60)}:${two((at * 13) % 60)}` +
  `${at % 3 === 0 ? `.${String(100 + at)}` : ""}${at % 4 === 0 ? "+02:00" : "Z"}`;

function request(at: number, shapes: number): string {
  const user = `user-${String(1000 + (at % 40))}`;
  const when = (bit: number, name: string, value: unknown) => (((at % shapes) >> bit) % 2 === 1 ? { [name]: value } : {});
  return JSON.stringify({
    P: {
      id: user,
      attr: {
        ...when(1, "office", pick(regions, at)),
        teams: [0, 1, 2].map((n) => pick(teams, at + n)),
        roles: roles.map((_, n) => pick(roles, at + n)),
        ...when(2, "senior", at % 3 === 0),
        limit: 500 + at,
      },
    },
    R: {
      id: `expense-${at}`,
      kind: "expense",
      attr: {
        ...when(0, "department", pick(teams, at)),
        owner: at % 4 === 3 ? "user-9999" : user,
        amount: ((at * 37) % 1300) + (at % 3 === 0 ? 0.5 : 0),
        team: pick(teams, at % 3 === 2 ? at + 3 : at + (at % 3)),
        ...when(1, "reviewer", at % 3 === 0 ? user : "user-1017"),
        role: at % 5 === 4 ? "visitor" : pick(roles, at * 3),
        state: pick(states, at),
        region: pick(regions, at),
        name: `${at % 7 === 0 ? "draft" : "report"}-${at}.${at % 5 === 0 ? "txt" : "pdf"}`,
        createdAt: instant(at),
        tags: [pick(teams, at + 4), pick(states, at), `tag-${at}`],
        ...when(2, "archived", at % 5 === 0),
      },
    },
  });
}

/** Parsed requests. The attributes of a resource have so many shapes, those of a principal at most four. */
export const inputsOf = (shapes: number): readonly Input[] =>
  Array.from({ length: 256 }, (_, at): Input => JSON.parse(request(at, shapes)));
