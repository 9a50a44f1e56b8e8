/** Policies and requests that the server's tests share. */

export const expensePolicy = `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: expense
  version: default
  rules:
    - actions: [view]
      effect: EFFECT_ALLOW
      roles: [user]
    - actions: [approve]
      effect: EFFECT_ALLOW
      roles: [manager]
      condition:
        match:
          expr: R.attr.amount < 1000
`;

/** The same with one word changed: users may not view. */
export const closedPolicy = expensePolicy.replace("EFFECT_ALLOW", "EFFECT_DENY");

/** Fails to parse at 11:26. */
export const brokenPolicy = expensePolicy.replace("R.attr.amount < 1000", "R.attr.amount <");

export const request = {
  requestId: "r1",
  principal: { id: "ann", roles: ["user", "manager"] },
  resources: [{ actions: ["view", "approve", "delete"], resource: { kind: "expense", id: "e1", attr: { amount: 500 } } }],
} as const;
