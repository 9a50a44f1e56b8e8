/** Every attack, table by table. */
import type { Attack, WholeAttack } from "../attack.ts";
import { changeShared } from "./change-shared.ts";
import { keepState } from "./keep-state.ts";
import { makePrograms } from "./make-programs.ts";
import { misleadTrusted } from "./mislead-trusted.ts";
import { oddSyntax } from "./odd-syntax.ts";
import { reachOut } from "./reach-out.ts";

/** Statements, put into a program at one moment or both. */
export const attacks: readonly Attack[] = [...makePrograms, ...reachOut, ...changeShared];

/** Programs of their own. */
export const wholeAttacks: readonly WholeAttack[] = [...misleadTrusted, ...keepState, ...oddSyntax];
