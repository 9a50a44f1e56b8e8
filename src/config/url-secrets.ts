/** URLs and data source names as they may be shown: without the passwords and tokens that are in them. */

/** Stands for a secret: what it hides cannot be read back. */
export const mask = "***";

/** Masks the values of the parameters after the question mark whose names speak of a secret. */
export function withoutSecretParameters(text: string): string {
  const start = text.indexOf("?") + 1;
  if (start === 0) return text;
  const query = text
    .slice(start)
    .replaceAll(/([^&;#=]+)=([^&;#]+)/g, (written, name: string) => (isSecretName(name) ? `${name}=${mask}` : written));
  return text.slice(0, start) + query;
}

/** Does a name speak of a secret? */
export const isSecretName = (name: string): boolean =>
  /(?:token|key|secret|pass|passwd|password|pwd|sig|signature|code|credentials?|auth)$/i.test(name);

/** Masks the password of a URL, its name where there is no password (then the name is a token), and secret parameters. */
export function withoutUrlSecrets(url: string): string {
  const parsed = new URL(url);
  if (parsed.username === "" && parsed.password === "") return withoutSecretParameters(url);
  if (parsed.password === "") parsed.username = mask;
  else parsed.password = mask;
  return withoutSecretParameters(parsed.href);
}

/** The same of what may be no URL, such as a path or `git@host:path`. */
export const withoutAddressSecrets = (address: string): string =>
  address.includes("://") && URL.canParse(address)
    ? withoutUrlSecrets(address)
    : withoutSecretParameters(address).replace(/:[^/@\s][^@\s]*@/, `:${mask}@`); // a URL with a slip in it may hold them as well
