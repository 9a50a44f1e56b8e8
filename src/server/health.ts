/** The health of the server, service by service, as both health protocols report it. */

/** The statuses that are reported of a service. */
export type ServingStatus = "SERVING" | "NOT_SERVING";

/** The name of the service for checks. */
export const mainService = "authz.svc.v1.AuthzService";

/** The name of the administration service. */
export const adminService = "authz.svc.v1.AuthzAdminService";

/** The health of the server. */
export interface Health {
  /** Returns the status of a service; undefined for an unknown one. */
  readonly status: (service: string) => ServingStatus | undefined;
  /** Returns every known service with its status; "" is the server as a whole. */
  readonly list: () => readonly (readonly [service: string, status: ServingStatus])[];
  /** Sets the status of every known service. */
  readonly set: (status: ServingStatus) => void;
  /** Calls back at each change; returns a function that stops it. */
  readonly watch: (changed: () => void) => () => void;
}

/** What decides which services are known. */
export interface HealthOptions {
  /** Whether the administration API is served. */
  readonly admin?: boolean;
}

/** Opens the health of a server; every status is NOT_SERVING at first. */
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
