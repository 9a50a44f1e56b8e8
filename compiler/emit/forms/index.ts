/** The fast forms of generated code. Each may be switched off without changing what any expression comes to; tests do, one by one. */

/** What each form does instead of a general call of the runtime. */
export const forms = {
  "ask for outcomes": "`&&`, `||`, `!`, `?:`, `exists` and `all` are asked whether they are true, or false: no value is made on the way",
  "compare in place": "`==`, `<` and their kin are JavaScript's own where the types say that it means the same",
  "read in place": "an attribute is a property read, wherever no prototype has a property of its name",
  "share reads": "an attribute that a function reads again and again is read once",
  "find in sets": "`in` a list of literals asks a set",
  "loop in place": "a macro that loops is a loop of its own, not a call with a function",
  "count in numbers": "sizes and what is counted from them are JavaScript numbers",
  "ask texts in place": "`startsWith` and `endsWith` of literal text are JavaScript's own",
  "call overloads at once": "a function on times whose types tell the overload is that overload's own",
  "fold constants": "a constant that comes to a number, a text or a boolean is that literal",
  "declare constants": "a constant that costs something to make is made when the unit is loaded",
} as const;

/** The name of a fast form. */
export type FormName = keyof typeof forms;

/** Every form: what is switched on unless somebody says otherwise. */
export const allForms: ReadonlySet<FormName> = new Set(Object.keys(forms).filter((name): name is FormName => Object.hasOwn(forms, name)));
