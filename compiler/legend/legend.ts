/** The legend of a bundle: the names of the parts of each unit and their places in the sources, for people; programs hold neither. */

/** Where something stands: the index of its file among the sources, and the 1-based line and column. */
export type Place = readonly [source: number, line: number, column: number];

/** Of every unit of a bundle, in the same order. */
export interface Legend {
  /** Paths below the store's root, in order. */
  readonly sources: readonly string[];
  /** A list for each unit: its policies, in the order of its scopes. */
  readonly units: readonly (readonly PolicyLegend[])[];
}

/** Of one policy. */
export interface PolicyLegend {
  readonly at: Place;
  /** Whether an allow here needs consent of the parent scopes. */
  readonly consent?: true;
  /** In the order of its rows. */
  readonly rules: readonly RuleLegend[];
  /** The derived roles that its rules name, in the order of its trees. */
  readonly roles: readonly DerivedRoleLegend[];
  /** Of each variable and constant that it uses, in the order of its trees. */
  readonly variables: readonly Place[];
  readonly constants: readonly Place[];
}

/** Of one rule, as its author wrote it. */
export interface RuleLegend {
  readonly name: string;
  readonly effect: "allow" | "deny";
  /** Indexes into the patterns of the policy. */
  readonly patterns: readonly number[];
  /** Indexes into the derived roles of the policy. */
  readonly roles: readonly number[];
  readonly at: Place;
  readonly when?: Words;
  /** What it tells when it applies, and when its condition keeps it from that. */
  readonly met?: Words;
  readonly notMet?: Words;
}

/** Of one derived role. */
export interface DerivedRoleLegend {
  /** Indexes into the patterns of the policy. */
  readonly parents: readonly number[];
  readonly at: Place;
  readonly when?: Words;
  readonly variables: readonly Place[];
  readonly constants: readonly Place[];
}

/** A condition or an expression: on one line, and where each of its expressions begins. */
export interface Words {
  readonly says: string;
  readonly at: readonly Place[];
}
