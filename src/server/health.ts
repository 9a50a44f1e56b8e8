/** The health of the server, service by service, as both health protocols report it. */

/** What is reported of a service. */
export type ServingStatus = "SERVING" | "NOT_SERVING";

/** The service that this program is for. */
export const mainService = "authz.svc.v1.AuthzService";

/** The service of administrators. */
export const adminService = "authz.svc.v1.AuthzAdminService";

/** What is served now. */
export interface Health {
  /** Returns undefined for a service that is not known. */
  readonly status: (service: string) => ServingStatus | undefined;
  /** Every known service with its status; "" is the server as a whole. */
  readonly list: () => readonly (readonly [service: string, status: ServingStatus])[];
  /** Every known service changes together. */
  readonly set: (status: ServingStatus) => void;
  /** Calls back at each change; returns how to stop that. */
  readonly watch: (changed: () => void) => () => void;
}

/** What is known of a server before it serves. */
export interface HealthOptions {
  /** Is the administration API served? */
  readonly admin?: boolean;
}

/** Opens the health of a server that does not serve yet. */
export function openHealth({ admin = false }: HealthOptions = {}): Health {
  const services: ReadonlySet<string> = new Set(["", mainService, ...(admin ? [adminService] : [])]);
  let now: ServingStatus = "NOT_SERVING";
  const watchers = new Set<() => void>();
  return {
    status: (service) => (services.has(service) ? now : undefined),
    list: () => [...services].map((service) => [service, now] as const),
    set: (status) => {
      if (status === now) return;
      now = status;
      for (const changed of watchers) changed();
    },
    watch: (changed) => {
      watchers.add(changed);
      return () => void watchers.delete(changed);
    },
  };
}
