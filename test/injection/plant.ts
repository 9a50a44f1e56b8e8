/** What all plants share: strings for positions, questions that name exactly these strings, and what must be answered. */
import type { Json } from "../../runtime/cel/to-json.ts";
import type { JsonObject } from "../../runtime/cel/value.ts";
import type { Effect } from "../../runtime/decide/decision.ts";
import type { CheckInput } from "../../runtime/decide/input.ts";
import type { Random } from "../agree/random.ts";
import type { Entries, Part, Slot } from "./holes.ts";
import { fit, makeText, makeWhole, nearMisses, type Form } from "./strings.ts";

/** One file of a policy set. */
export interface Draft {
  readonly part: Part;
  /** What the file is called; a plain name where nobody says. */
  readonly path?: Slot;
  /** What the store says of it. */
  readonly attributes?: Entries;
}

/** One request about one action, and the answer that follows from what the strings mean; none where only the reference knows. */
export interface Question {
  readonly input: CheckInput;
  readonly wanted?: Wanted;
}

/** What must be answered; a part that is not there is not looked at. */
export interface Wanted {
  readonly effect: Effect;
  readonly matchedPolicy?: string;
  readonly outputs?: readonly { readonly src: string; readonly val: Json }[];
  readonly derivedRoles?: readonly string[];
  /** Of the policy with this key. */
  readonly sourceAttributes?: readonly [key: string, attributes: JsonObject];
  /** References that are asked for. */
  readonly schemas?: readonly string[];
}

/** Documents with strings in them, and what to ask once it is known which of the strings were taken. */
export interface Plant {
  readonly documents: readonly Draft[];
  readonly questions: () => readonly Question[];
}

/** What the plants of one policy set have in common. */
export interface Ground {
  readonly random: Random;
  /** A slot of a position; every one is counted. */
  readonly slot: (position: string, options?: SlotOptions) => Slot;
  /** Values of `globals`, by name. */
  readonly globals: Map<string, string>;
}

/** What a string must be at some position. */
export interface SlotOptions {
  readonly form?: Form;
  /** Without halves of pairs: what cannot be written there at all. */
  readonly whole?: boolean;
  /** Nothing else in the set has this name. */
  readonly unique?: (text: string) => string;
  /** Among which it is unique; otherwise among those of its position. */
  readonly among?: string;
}

/** Opens the ground of one policy set; `slots` collects what is planted. */
export function openGround(random: Random, slots: Slot[]): Ground {
  const used = new Set<string>();
  return {
    random,
    globals: new Map(),
    slot(position, { form, whole = false, unique, among = position } = {}) {
      const plain = `w${slots.length}`;
      // Half a pair is no character of CEL: it is refused.
      let text = whole && !random.chance(0.02) ? makeWhole(random) : makeText(random);
      // Now and then a position is offered what it cannot take.
      if (form !== undefined && (form.isMeaning === true || !random.chance(0.05))) text = fit(text, form);
      if (text === "") text = plain;
      if (unique !== undefined) {
        if (used.has(`${among}\0${unique(text)}`)) text = fit(`${text}${plain}`, form ?? anything);
        used.add(`${among}\0${unique(text)}`);
      }
      const slot = { position, text, plain };
      slots.push(slot);
      return slot;
    },
  };
}

/** Kinds, principals, roles: the characters of patterns are left out. */
export const plainName: Form = { without: /[!*?[\]{}]/g, start: "" };
/** Names of sets. */
export const setName: Form = { without: /[^\w\-.]/g, start: "" };
/** Names of rules. */
export const ruleName: Form = { without: /[^\w@.-]/g, start: "r" };
/** Names of versions. */
export const versionName: Form = { without: /\W/g, start: "" };
/** One segment of a scope. */
export const scopeName: Form = { without: /[^\w-]/g, start: "s" };
/** Names of variables and constants. */
export const identifier: Form = { without: /\W/g, start: "v_" };
/** No pattern, for what is one only with a star in it. */
export const starless: Form = { without: /\*/g, start: "", isMeaning: true };
/** No pattern at all. */
export const literally: Form = { without: /[*?[\]{}\\]/g, start: "", isMeaning: true };
/** What a comment of CEL holds. */
export const oneLine: Form = { without: /[\n\r]/g, start: "", isMeaning: true };
const anything: Form = { without: /(?!)/g, start: "" };

/** Chooses a near miss that nothing else is called, and that `counts` as one. */
export function nearMiss(random: Random, text: string, counts: (near: string) => boolean = () => true): string {
  const found = nearMisses(text).filter(counts);
  return found.length === 0 ? `${text}\u{1f6ab}${text.length}` : random.pick(found);
}

/** Says whether nothing in a list is called so. */
export const isNoneOf = (slots: readonly Slot[]): ((near: string) => boolean) => {
  const texts = new Set(slots.map(({ text }) => text));
  return (near) => !texts.has(near);
};
