/** Schemas: what one is, and how an administrator manages them. */
import { expect } from "vitest";
import { row, type Section } from "./section.ts";

const definition = { type: "object", properties: { team: { type: "string" } } };
const long = `${"x".repeat(250)}.json`;

export const schemaObject: Section = {
  heading: "Schema object",
  rows: [
    row("id", async ({ admin }) => {
      const put = (id: string) => admin("POST", "/admin/schema", { schemas: [{ id, definition }] });
      expect((await put("principal.json")).status).toBe(200);
      expect((await put(long)).status).toBe(200);
      expect((await put("")).status).toBe(400);
      expect((await put(`x${long}`)).status).toBe(400);
      await admin("DELETE", `/admin/schema?id=principal.json&id=${long}`);
    }),
    row("definition", async ({ admin }) => {
      await admin("POST", "/admin/schema", { schemas: [{ id: "team.json", definition }] });
      expect(JSON.parse((await admin("GET", "/admin/schema?id=team.json")).text)).toEqual({ schemas: [{ id: "team.json", definition }] });
      const refused = await admin("POST", "/admin/schema", { schemas: [{ id: "bad.json", definition: { type: "no such type" } }] });
      expect([refused.status, refused.text.includes("bad.json")]).toEqual([400, true]);
      await admin("DELETE", "/admin/schema?id=team.json");
    }),
  ],
};

export const administration: Section = {
  heading: "Schema administration",
  rows: [
    row("AddOrUpdateSchema", async ({ admin }) => {
      for (const method of ["POST", "PUT"]) {
        const { status, text } = await admin(method, "/admin/schema", { schemas: [{ id: "a.json", definition }] });
        expect([status, JSON.parse(text)]).toEqual([200, {}]);
      }
      await admin("DELETE", "/admin/schema?id=a.json");
    }),
    row("ListSchemas", async ({ admin }) => {
      await admin("POST", "/admin/schema", { schemas: [{ id: "a.json", definition }] });
      expect(JSON.parse((await admin("GET", "/admin/schemas")).text)).toEqual({ schemaIds: ["a.json", "album.json"] });
      await admin("DELETE", "/admin/schema?id=a.json");
      expect(JSON.parse((await admin("GET", "/admin/schemas")).text)).toEqual({ schemaIds: ["album.json"] });
    }),
    row("GetSchema", async ({ admin }) => {
      await admin("POST", "/admin/schema", {
        schemas: [
          { id: "a.json", definition },
          { id: "b.json", definition },
        ],
      });
      expect(JSON.parse((await admin("GET", "/admin/schema?id=b.json&id=a.json&id=none.json")).text)).toEqual({
        schemas: [
          { id: "b.json", definition },
          { id: "a.json", definition },
        ],
      });
      expect((await admin("GET", "/admin/schema")).status).toBe(400);
      expect((await admin("GET", `/admin/schema?id=x${long}`)).status).toBe(400);
      await admin("DELETE", "/admin/schema?id=a.json&id=b.json");
    }),
    row("DeleteSchema", async ({ admin }) => {
      await admin("POST", "/admin/schema", {
        schemas: [
          { id: "a.json", definition },
          { id: "b.json", definition },
        ],
      });
      expect(JSON.parse((await admin("DELETE", "/admin/schema?id=a.json&id=b.json&id=none.json")).text)).toEqual({ deletedSchemas: 2 });
      expect((await admin("DELETE", "/admin/schema")).status).toBe(400);
    }),
  ],
};
