/** The environment variables of the process: the only access to `process.env`. */

/** Variables by name. */
export interface Environment {
  readonly [name: string]: string | undefined;
}

/** The environment variables of this process. */
export const environment: Environment = process.env;
