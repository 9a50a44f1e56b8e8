/** The names of the commands that authors of policies run over and over: they have a script of their own (`../scripts/authoring-script.ts`). */
const authoringNames = ["compile", "golden", "build", "types", "repl"] as const;

/** The name of such a command. */
export type AuthoringName = (typeof authoringNames)[number];

/** Tells these names from all other arguments. */
export const isAuthoring = (name: string | undefined): name is AuthoringName => authoringNames.some((each) => each === name);
