// GET /reference: Scalar's interactive reference of /openapi.json. Its script comes out of the npm package and is
// served from here; the page loads nothing from anywhere else.
import Fastify, { type FastifyInstance } from 'fastify'
import { samplesScript } from './referencesamples.ts'
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

const settings = JSON.stringify(
  {
    withDefaultFonts: false,
    telemetry: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    hideClientButton: true,
    showDeveloperTools: 'never',
    persistAuth: false,
    hiddenClients: true,
    authentication: { preferredSecurityScheme: 'ApiKey', securitySchemes: { ApiKey: { value: 'wk_test_your_key' } } },
  },
  null,
  2,
)

const startScript = `${samplesScript}
const start = async () => {
  const answer = await fetch('openapi.json')
  const document = await answer.json()
  const { href } = new URL(document.servers[0].url, location.href)
  Scalar.createApiReference('#app', { content: addSamples(document, href.replace(/\\/$/, '')), ...${settings} })
}
void start()
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
