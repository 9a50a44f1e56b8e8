/** The environment variables that the program reads; nothing outside this room looks at them. */

/** Variables by name. */
export interface Environment {
  readonly [name: string]: string | undefined;
}

/** The variables of this process. */
export const environment: Environment = process.env;
