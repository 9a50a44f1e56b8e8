/** The fast forms of generated code. Each can be disabled without changing any result; the tests disable each one. */

/** What each form does instead of a general runtime call. */
export const forms = {
  "ask for outcomes": "`&&`, `||`, `!`, `?:`, `exists` and `all` are tested for true or for false directly, without computing their value",
  "compare in place": "`==`, `<` and similar operators are JavaScript's own where the types guarantee the same meaning",
  "read in place": "an attribute is read as a plain property, unless a prototype has a property of its name",
  "share reads": "an attribute that a function reads several times is read once",
  "find in sets": "`in` with a list of literals uses a Set",
  "loop in place": "a looping macro is an inlined loop instead of a runtime call with a callback",
  "count in numbers": "sizes, timestamp fields and arithmetic on them are JavaScript numbers",
  "ask texts in place": "`startsWith` and `endsWith` with a literal are JavaScript's own methods",
  "call overloads at once": "a function on timestamps or durations is called without dispatch if the types determine the overload",
  "fold constants": "a constant expression whose value is a number, a string or a boolean becomes that literal",
  "declare constants": "a constant that is expensive to create is created once, when the unit is loaded",
} as const;

/** The name of a fast form. */
export type FormName = keyof typeof forms;

/** All forms, enabled by default. */
export const allForms: ReadonlySet<FormName> = new Set(Object.keys(forms).filter((name): name is FormName => Object.hasOwn(forms, name)));
