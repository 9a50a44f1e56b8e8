/** The authorization check as an endpoint. */
import { expect } from "vitest";
import { row, type Section } from "./section.ts";

export const check: Section = {
  heading: "Authorization check",
  rows: [
    row("Operation", async ({ overGrpc, result }) => {
      const body = await overGrpc();
      expect(body.results[0]).toEqual(await result());
    }),
    row("HTTP", async ({ check: ask, server }) => {
      expect((await ask()).status).toBe(200);
      const { status, headers } = await server.get("/api/check/resources");
      expect([status, headers.get("allow")]).toEqual([405, "POST"]);
    }),
    row("Query parameter", async ({ check: ask }) => {
      expect((await ask({ query: "?pretty" })).text).toContain('\n  "results"');
      expect((await ask()).text).not.toContain("\n");
    }),
    row("Request body", async ({ server }) => {
      expect((await server.post("/api/check/resources", "{not JSON")).status).toBe(400);
      expect((await server.post("/api/check/resources", "")).status).toBe(400); // as `{}`
    }),
    row("Response body", async ({ check: ask }) => {
      const { headers, json } = await ask();
      expect(headers.get("content-type")).toMatch(/^application\/json/);
      expect(Object.keys(json)).toEqual(["requestId", "results", "authzCallId"]);
    }),
  ],
};
