// GET /reference: Scalar's interactive reference of /openapi.json. Its script comes out of the npm package and is
// served from here; the page loads nothing from anywhere else.
import Fastify, { type FastifyInstance } from 'fastify'
import { serveOpenApi, type OpenApiOptions } from './openapi.ts'
import type { LimitedRoute } from './routelimits.ts'
import { staticDocument, sendDocument, type StaticDocument } from './staticdocument.ts'

const script = 'text/javascript; charset=utf-8'

export function serveReference(app: FastifyInstance, limits: LimitedRoute, options: OpenApiOptions): void {
  serveOpenApi(app, options, limits)
  app.get('/reference', limits(120), async (_request, reply) =>
    reply.header('content-security-policy', policy).header('content-type', 'text/html; charset=utf-8').send(page),
  )
  const start = staticDocument(Buffer.from(startScript), script)
  app.get('/reference/start.js', limits(120), async (request, reply) => sendDocument(request, reply, await start))
  let scalar: Promise<StaticDocument> | undefined
  app.get('/reference/scalar.js', limits(120), async (request, reply) =>
    sendDocument(request, reply, await (scalar ??= scalarScript().then((bytes) => staticDocument(bytes, script)))),
  )
}

const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API reference</title>
<link rel="icon" href="data:,">
<div id="app"></div>
<script src="reference/scalar.js"></script>
<script src="reference/start.js"></script>
</html>
`

// Samples are shown for curl, Node's fetch and Python's requests.
const hiddenClients = {
  ...Object.fromEntries(
    ['c', 'clojure', 'csharp', 'dart', 'fsharp', 'go', 'http', 'java', 'js', 'kotlin', 'objc', 'ocaml', 'php']
      .concat(['powershell', 'r', 'ruby', 'rust', 'swift'])
      .map((language) => [language, true]),
  ),
  shell: ['httpie', 'wget'],
  node: ['axios', 'ofetch', 'undici'],
  python: ['python3', 'httpx_sync', 'httpx_async', 'aiohttp'],
}

const startScript = `Scalar.createApiReference('#app', ${JSON.stringify(
  {
    url: 'openapi.json',
    withDefaultFonts: false,
    telemetry: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    hideClientButton: true,
    showDeveloperTools: 'never',
    persistAuth: false,
    hiddenClients,
    defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
    authentication: { preferredSecurityScheme: 'ApiKey', securitySchemes: { ApiKey: { value: 'wk_test_your_key' } } },
  },
  null,
  2,
)})
`

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  // Scalar writes style elements and attributes; without scripts of others they can do no harm.
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The package has the script only inside its plugin: the plugin serves it once, to us. */
async function scalarScript(): Promise<Buffer> {
  const { default: plugin } = await import('@scalar/fastify-api-reference')
  const donor = Fastify()
  donor.register(plugin, { configuration: { url: '/openapi.json' } })
  const { rawPayload } = await donor.inject('/reference/js/scalar.js')
  await donor.close()
  return rawPayload
}
