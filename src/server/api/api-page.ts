/** The page at `/`: every operation with its fields, and a way to try it; one file, nothing from anywhere else. */
import { createHash } from "node:crypto";
import { apiPageScript } from "./api-page-script.ts";

const style = `
:root { color-scheme: light dark; --soft: #8882; --line: #8886; --accent: #0b57a4; }
@media (prefers-color-scheme: dark) { :root { --accent: #8ec5ff; } }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 56rem; margin: 2rem auto; padding: 0 1rem; }
h1, h2, h3 { line-height: 1.2; }
h2 { margin-top: 2rem; }
h3 { font-size: 1rem; margin-bottom: .3rem; }
a { color: var(--accent); }
code, pre, textarea { font-family: ui-monospace, monospace; font-size: .9rem; }
section > details { border: 1px solid var(--line); border-radius: .3rem; margin: .5rem 0; padding: .5rem .8rem; }
summary { cursor: pointer; }
.method { display: inline-block; min-width: 4.5rem; font-weight: bold; color: var(--accent); }
.fields { padding-left: 1.2rem; }
.type { opacity: .8; font-size: .9rem; overflow-wrap: anywhere; }
label { display: block; margin-top: .5rem; }
textarea, input { width: 100%; box-sizing: border-box; font-size: .9rem; }
button { margin-top: .7rem; font: inherit; padding: .2rem 1.2rem; }
pre { background: var(--soft); padding: .6rem; overflow: auto; max-height: 30rem; margin: 0; }
pre:empty { display: none; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
`;

const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>authz: the API</title>
<style>${style}</style>
</head>
<body>
<header>
<h1>authz <small id="version"></small></h1>
<p>This server answers authorization questions from policies. Its operations, from <a href="/schema/swagger.json">/schema/swagger.json</a>:</p>
</header>
<form id="credentials" hidden>
<h2>Credentials</h2>
<p>For the operations of administrators. They stay in this page.</p>
<label for="user">name</label>
<input id="user" type="text" autocomplete="off" spellcheck="false">
<label for="password">password</label>
<input id="password" type="password" autocomplete="off">
</form>
<main id="operations" aria-live="polite">The operations are shown by a script.</main>
<script>${apiPageScript}</script>
</body>
</html>
`;

const hashOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** The page and its response headers. */
export const apiPage = {
  html,
  headers: {
    "content-type": "text/html; charset=utf-8",
    // Only the script and the style above may run, and they may connect only to this server.
    "content-security-policy": [
      "default-src 'none'",
      `script-src ${hashOf(apiPageScript)}`,
      `style-src ${hashOf(style)}`,
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join("; "),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-cache",
  },
} as const;
