// The app, served by this process.
import type { Config } from './config.ts'
import { drain } from '../http/drain.ts'
import { serveSharedPort } from '../http/sharedport.ts'
import { openApp } from './app.ts'

export type Serving = {
  address: string
  /** Answers the requests that run, then ends. */
  close(): Promise<void>
}

// People type localhost, and cookies are of one name.
const localAddress = /\/\/(\[::\]|127\.0\.0\.1|0\.0\.0\.0):/

export async function serveHere(
  config: Config,
  { databaseUrl, secretKey }: { databaseUrl: string; secretKey: string },
): Promise<Serving> {
  const app = await openApp({ config, databaseUrl, secretKey })
  const { log } = app.server
  const level = log.level
  try {
    // Fastify tells each address that it listens on; the greeting tells the one that matters.
    log.level = 'silent'
    const address = (await app.listen()).replace(localAddress, '//localhost:')
    return {
      address,
      async close() {
        app.endWaits()
        await drain(app.server.server)
        await app.close()
      },
    }
  } catch (error) {
    await app.close()
    throw inWords(error, config)
  } finally {
    log.level = level
  }
}

/** In a worker, whose connections the first process takes. */
export async function serveAsWorker(
  config: Config,
  { databaseUrl, secretKey }: { databaseUrl: string; secretKey: string },
): Promise<Pick<Serving, 'close'>> {
  const app = await openApp({ config, databaseUrl, secretKey })
  try {
    await app.start()
  } catch (error) {
    await app.close()
    throw error
  }
  const { server } = app.server
  const port = serveSharedPort(server)
  return {
    async close() {
      app.endWaits()
      await port.drain()
      await app.close()
    },
  }
}

export function inWords(error: unknown, { HOST, PORT }: Pick<Config, 'HOST' | 'PORT'>): unknown {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return new Error(`Port ${PORT} on ${HOST} is already in use. Stop the other program or set PORT`)
    case 'EACCES':
      return new Error(`This user is not allowed to open port ${PORT} on ${HOST}. Set PORT to a number above 1023`)
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new Error(`${HOST} is not an address of this machine. Set HOST`)
    default:
      return error
  }
}
