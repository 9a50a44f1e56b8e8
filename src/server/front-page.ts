/** What a browser sees at `/`: that this is the decision service, and where to go from here. */

/** The page. */
export const frontPage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>authz</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:40rem;margin:4rem auto;padding:0 1rem}code{background:#8882;padding:.1em .3em;border-radius:.2em}</style>
<h1>authz</h1>
<p>This server answers authorization questions from policies.</p>
<ul>
<li><code>POST /api/check/resources</code> decides; add <code>?pretty</code> to read the answer yourself.</li>
<li><code><a href="/api/server_info?pretty">GET /api/server_info</a></code> says what is running.</li>
<li><code><a href="/_authz/health">GET /_authz/health</a></code> says whether it serves.</li>
</ul>
</html>
`;
