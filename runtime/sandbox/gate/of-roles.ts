/** Checks cached values that depend on derived roles, which differ from scope to scope: such a value may serve one function of one policy only. */
import { refuse } from "./refusal.ts";

/** What a function has to do with derived roles, itself or through what it calls. */
export interface OfRoles {
  /** What it answers may be made of them. */
  isMade: boolean;
  /** What it calls that keeps something made of them: variables, and loops that read such variables. */
  readonly keepers: OfRoles[];
  /** What asks for it, where it keeps something. */
  asker: object | undefined;
}

interface Reader {
  readonly reading: { readonly text: string; readonly start: number };
  readonly ofRoles: OfRoles;
}

/** Opens what a function has to do with derived roles. */
export const openOfRoles = (): OfRoles => ({ isMade: false, keepers: [], asker: undefined });

/** What has nothing to do with them. */
export const notOfRoles: OfRoles = Object.freeze(openOfRoles());

/** Notes that the function that is being read calls another, which may be a variable, whose value is kept. */
export function noteOfRoles({ ofRoles }: Reader, called: OfRoles, isVariable: boolean): void {
  if (!called.isMade) return;
  ofRoles.isMade = true;
  if (isVariable || called.keepers.length > 0) ofRoles.keepers.push(called);
}

/** Notes who asks for what keeps something; refuses a second one. Each function is looked at once. */
export function keepApart({ reading: { text, start } }: Reader, asked: OfRoles, asker: object): void {
  const open = [asked];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (one.asker === asker) continue;
    if (one.asker !== undefined) refuse(text, start, "a second use of what was made of other derived roles and is kept");
    one.asker = asker;
    for (const keeper of one.keepers) open.push(keeper);
  }
}
