/** What was done to the recorded servers and not recorded: it shows in later answers. */

/** Calls that were made before an exchange, each like one that was recorded. */
export interface Unrecorded {
  readonly before: string;
  readonly calls: readonly { readonly like: string; readonly path?: string }[];
}

/** All of them. */
export const between: readonly Unrecorded[] = [
  {
    before: "admin_inspect_http/inspect_all_sqlite",
    calls: [
      { like: "admin_policies_http/add_dup_in_request" },
      { like: "admin_policies_http/delete_ok", path: "/admin/policy/delete?id=resource.badschema.v20210210" },
    ],
  },
];
