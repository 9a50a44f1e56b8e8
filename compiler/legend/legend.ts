/**
 * The legend of a bundle: the names of the parts of each unit and their positions in the sources, for people. The
 * compiled programs contain neither.
 */

/** A source position: the index of the file in `sources`, and the 1-based line and column. */
export type Place = readonly [source: number, line: number, column: number];

/** Describes every unit of a bundle, in the same order. */
export interface Legend {
  /** Paths relative to the store's root, sorted. */
  readonly sources: readonly string[];
  /** For each unit its policies, in the order of its scopes. */
  readonly units: readonly (readonly PolicyLegend[])[];
}

/** Describes one policy. */
export interface PolicyLegend {
  readonly at: Place;
  /** Whether an ALLOW here requires parental consent. */
  readonly consent?: true;
  /** In the order of its rows. */
  readonly rules: readonly RuleLegend[];
  /** The derived roles that its rules name, in the order of their trees in the unit. */
  readonly roles: readonly DerivedRoleLegend[];
  /** The position of each variable and constant that it uses, in the order of their trees in the unit. */
  readonly variables: readonly Place[];
  readonly constants: readonly Place[];
}

/** Describes one rule, as written by its author. */
export interface RuleLegend {
  readonly name: string;
  readonly effect: "allow" | "deny";
  /** Indexes into the patterns of the policy. */
  readonly patterns: readonly number[];
  /** Indexes into the derived roles of the policy. */
  readonly roles: readonly number[];
  readonly at: Place;
  readonly when?: Words;
  /** The outputs when it applies, and when its condition does not hold. */
  readonly met?: Words;
  readonly notMet?: Words;
}

/** Describes one derived role. */
export interface DerivedRoleLegend {
  /** Indexes into the patterns of the policy. */
  readonly parents: readonly number[];
  readonly at: Place;
  readonly when?: Words;
  readonly variables: readonly Place[];
  readonly constants: readonly Place[];
}

/** A condition or expression: its text on one line, and the position of each of its expressions. */
export interface Words {
  readonly says: string;
  readonly at: readonly Place[];
}
