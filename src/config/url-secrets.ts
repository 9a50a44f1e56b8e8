/** Masks passwords and tokens in URLs and data source names, so that they can be shown. */

/** What secrets are replaced by. */
export const mask = "***";

/** Masks the values of query parameters whose names suggest a secret. */
export function maskSecretParameters(text: string): string {
  const start = text.indexOf("?") + 1;
  if (start === 0) return text;
  const query = text
    .slice(start)
    .replaceAll(/([^&;#=]+)=([^&;#]+)/g, (written, name: string) => (isSecretName(name) ? `${name}=${mask}` : written));
  return text.slice(0, start) + query;
}

/** Returns whether a name suggests a secret. */
export const isSecretName = (name: string): boolean =>
  /(?:token|key|secret|pass|passwd|password|pwd|sig|signature|code|credentials?|auth)$/i.test(name);

/** Masks the password of a URL, or its user name when there is no password (then it is a token), and secret parameters. */
export function maskUrlSecrets(url: string): string {
  const parsed = new URL(url);
  if (parsed.username === "" && parsed.password === "") return maskSecretParameters(url);
  if (parsed.password === "") parsed.username = mask;
  else parsed.password = mask;
  return maskSecretParameters(parsed.href);
}

/** Does the same for an address that may not be a URL, such as a path or `git@host:path`. */
export const maskAddressSecrets = (address: string): string =>
  address.includes("://") && URL.canParse(address)
    ? maskUrlSecrets(address)
    : maskSecretParameters(address).replace(/:[^/@\s][^@\s]*@/, `:${mask}@`); // A URL with a syntax error may hold a password as well.
