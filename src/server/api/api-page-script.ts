/** What the API page does in the browser: it reads /schema/swagger.json, shows every operation, and sends what one types. */

/** The script. Strings from the document and from responses are inserted as text only, never as HTML. */
export const apiPageScript = String.raw`
"use strict";
const main = document.getElementById("operations");
const user = document.getElementById("user");
const password = document.getElementById("password");

const element = (name, properties, ...children) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
};

const targetOf = (document, schema) => {
  const name = schema && schema.$ref && schema.$ref.replace("#/definitions/", "");
  return name && Object.hasOwn(document.definitions, name) ? document.definitions[name] : schema || {};
};

const typeOf = (document, schema) => {
  const { enum: values } = targetOf(document, schema);
  if (values) return values.join(" | ");
  if (schema.$ref) return schema.$ref.replace("#/definitions/", "").replace(/^.*\.v1\./, "");
  if (schema.type === "array") return "list of " + typeOf(document, schema.items || {});
  if (schema.additionalProperties && !schema.properties) return "map of " + typeOf(document, schema.additionalProperties);
  return schema.type || "any";
};

const rules = {
  minItems: (n) => "at least " + n,
  maxItems: (n) => "at most " + n,
  minProperties: (n) => "at least " + n,
  uniqueItems: () => "no two alike",
  minLength: (n) => "not empty",
  maxLength: (n) => "at most " + n + " characters",
  minimum: (n) => "from " + n,
  maximum: (n) => "to " + n,
  pattern: (text) => "matches " + text,
};
const rulesOf = (schema) =>
  Object.entries(rules).flatMap(([keyword, say]) => {
    const own = schema[keyword] !== undefined ? schema[keyword] : schema.items && schema.items[keyword];
    return own === undefined ? [] : [say(own)];
  });

/* Fields of fields are made when they are opened: a message may hold itself. */
const fieldsOf = (document, schema) => {
  const { properties = {}, required = [] } = targetOf(document, schema);
  const list = element("ul", { className: "fields" });
  for (const [name, field] of Object.entries(properties)) {
    const said = [typeOf(document, field), ...(required.includes(name) ? ["required"] : []), ...rulesOf(field), ...(field.description ? [field.description] : [])];
    const line = [element("code", { textContent: name }), " ", element("span", { className: "type", textContent: said.join(", ") })];
    const inner = [field, field.items, field.additionalProperties].find((one) => one && one.$ref && !targetOf(document, one).enum);
    if (!inner) {
      list.append(element("li", {}, ...line));
      continue;
    }
    const details = element("details", {}, element("summary", {}, ...line));
    details.addEventListener("toggle", () => details.append(fieldsOf(document, inner)), { once: true });
    list.append(element("li", {}, details));
  }
  return list;
};

const exampleOf = (document, schema, name, depth) => {
  const target = targetOf(document, schema);
  if (target.enum) return target.enum[0];
  if (target.type === "string") return name;
  if (target.type === "boolean") return false;
  if (target.type === "integer" || target.type === "number") return 0;
  if (target.type === "array") return depth > 6 ? [] : [exampleOf(document, target.items || {}, name, depth + 1)];
  if (target.minProperties) return { [name]: exampleOf(document, target.additionalProperties || {}, name, depth + 1) };
  const example = {};
  for (const field of depth > 6 ? [] : target.required || []) example[field] = exampleOf(document, target.properties[field], field, depth + 1);
  return example;
};

const credentials = () => {
  const bytes = new TextEncoder().encode(user.value + ":" + password.value);
  return "Basic " + btoa(String.fromCharCode(...bytes));
};

const send = async (operation, inputs, body, status, reply) => {
  status.textContent = "\u2026";
  reply.textContent = "";
  const query = new URLSearchParams({ pretty: "" });
  let path = operation.path;
  for (const [name, input] of inputs) {
    if (path.includes("{" + name + "}")) path = path.replace("{" + name + "}", () => encodeURIComponent(input.value));
    else for (const value of input.value.split("\n")) if (value !== "") query.append(name, value);
  }
  const headers = {};
  if (body) headers["content-type"] = "application/json";
  if (operation.security) headers.authorization = credentials();
  try {
    const began = performance.now();
    const response = await fetch(path + "?" + query, {
      method: operation.method,
      headers,
      credentials: "omit",
      ...(body && { body: body.value }),
    });
    const text = await response.text();
    status.textContent = response.status + " " + response.statusText + ", " + Math.round(performance.now() - began) + " ms";
    reply.textContent = text;
  } catch (error) {
    status.textContent = "no answer: " + error.message;
  }
};

const show = (document, path, method, said) => {
  const operation = { ...said, path, method: method.toUpperCase() };
  const id = said.operationId;
  const parameters = (said.parameters || []).filter((parameter) => !parameter.$ref);
  const bodyParameter = parameters.find((parameter) => parameter.in === "body");
  const form = element("form", {});
  const inputs = [];
  for (const parameter of parameters) {
    const field = id + "-" + parameter.name;
    const label = parameter === bodyParameter ? "request body" : parameter.name + (parameter.type === "array" ? ", one a line" : "") + (parameter.required ? ", required" : "");
    const input = parameter === bodyParameter || parameter.type === "array" ? element("textarea", { rows: parameter === bodyParameter ? 12 : 2, spellcheck: false }) : element("input", { type: "text" });
    input.id = field;
    if (parameter === bodyParameter) input.value = JSON.stringify(exampleOf(document, parameter.schema, "id", 0), null, 2);
    else inputs.push([parameter.name, input]);
    form.append(element("label", { htmlFor: field, textContent: label }), input);
  }
  const status = element("p", { className: "status" });
  status.setAttribute("role", "status");
  const reply = element("pre", { tabIndex: 0 });
  reply.setAttribute("aria-label", "reply");
  form.append(element("button", { type: "submit", textContent: "send" }), status, reply);
  const body = bodyParameter && form.querySelector("textarea");
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void send(operation, inputs, body, status, reply);
  });
  const succeeded = said.responses["200"];
  const details = element("details", { id },
    element("summary", {}, element("span", { className: "method", textContent: operation.method }), " ", element("code", { textContent: path }), " ", element("span", { textContent: said.summary || "" })));
  details.addEventListener("toggle", () => {
    if (bodyParameter) details.append(element("h3", { textContent: "request" }), fieldsOf(document, bodyParameter.schema));
    if (succeeded && succeeded.schema) details.append(element("h3", { textContent: "reply" }), fieldsOf(document, succeeded.schema));
    details.append(element("h3", { textContent: "try it" }), form);
  }, { once: true });
  return details;
};

const start = async () => {
  const response = await fetch("/schema/swagger.json");
  const document = await response.json();
  window.document.getElementById("version").textContent = document.info.version;
  window.document.getElementById("credentials").hidden = !document.securityDefinitions;
  main.textContent = "";
  for (const { name, description } of document.tags) {
    const section = element("section", {}, element("h2", { textContent: name }), element("p", { textContent: description }));
    for (const [path, operations] of Object.entries(document.paths))
      for (const [method, said] of Object.entries(operations))
        if (said.tags.includes(name)) section.append(show(document, path, method, said));
    main.append(section);
  }
};
start().catch((error) => { main.textContent = "The description of the API cannot be read: " + error.message; });
`;
