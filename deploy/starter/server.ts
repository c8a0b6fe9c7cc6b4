// The page at /, and the receiver of webhooks at /hooks.
import { createServer, type Server } from 'node:http'
import { productsPage } from './page.ts'
import { createReceiver, type OnEvent } from './receiver.ts'
import { Stoa } from './stoa/index.ts'

export function createApp({ stoa, secret, onEvent }: { stoa: Stoa; secret: string; onEvent: OnEvent }): Server {
  const receive = createReceiver(secret, onEvent)
  return createServer(async (request, response) => {
    try {
      if (request.method === 'POST' && request.url === '/hooks') return await receive(request, response)
      if (request.url !== '/') return void response.writeHead(404).end('Not found')
      const page = await productsPage(stoa, await stoa.store.get())
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page)
    } catch (error) {
      console.error(error)
      // Stoa delivers the event again later.
      response.writeHead(500).end('Error')
    }
  })
}

if (import.meta.main) {
  const { STOA_URL: url = 'http://localhost:4000', STOA_KEY: key, WEBHOOK_SECRET: secret, PORT = '3000' } = process.env
  if (!key || !secret) throw new Error('Set STOA_KEY and WEBHOOK_SECRET, for example in .env')
  const onEvent: OnEvent = async ({ event, body }) => console.log(event, body)
  createApp({ stoa: new Stoa({ url, key }), secret, onEvent }).listen(Number(PORT), () =>
    console.log(`http://localhost:${PORT}`),
  )
}
