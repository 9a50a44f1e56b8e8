/** The flags of a bench's command line: `--name` and `--name=value`. */
const given = process.argv.slice(2);

/** Whether a flag is given, with or without a value. */
export const isGiven = (flag: string): boolean => given.some((word) => word === `--${flag}` || word.startsWith(`--${flag}=`));

/** What a flag says; undefined where it is absent or says nothing. */
export const valueOf = (flag: string): string | undefined => given.find((word) => word.startsWith(`--${flag}=`))?.slice(flag.length + 3);

/** The number that a flag says, or another one; ends the bench with a sentence when it is no number. */
export function numberOf(flag: string, otherwise: number): number {
  const text = valueOf(flag);
  if (text === undefined) return otherwise;
  const number = Number(text);
  if (Number.isFinite(number) && number > 0) return number;
  console.error(`bench: --${flag}=${text}: a number above 0 is wanted`);
  process.exit(2);
}

/** The words that a flag lists with commas, or other ones. */
export const listOf = (flag: string, otherwise: readonly string[]): readonly string[] => valueOf(flag)?.split(",") ?? otherwise;

/** A run of seconds that shows that the bench works: its figures mean nothing, and no goal is held against them. */
export const isQuick = isGiven("quick");
