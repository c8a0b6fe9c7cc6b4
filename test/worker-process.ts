// A server that delivers, as a process of its own, for tests that kill it.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testAuthority } from './receiver.ts'
import { startServer } from './server.ts'
import { secretKey } from './world.ts'

export type WorkerProcess = { url: string; end(signal: NodeJS.Signals): Promise<void> }

/** Serves and delivers over a database that is migrated, to receivers on loopback; resolves when it is ready. */
export async function workerProcess(databaseUrl: string): Promise<WorkerProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'stoa-worker-'))
  const ca = join(folder, 'ca.pem')
  await writeFile(ca, testAuthority.ca)
  const server = await startServer(folder, {
    DATABASE_URL: databaseUrl,
    SECRET_KEY: secretKey,
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
    NODE_EXTRA_CA_CERTS: ca,
  })
  return {
    url: server.url,
    async end(signal) {
      await server.end(signal)
      await rm(folder, { recursive: true, force: true })
    },
  }
}
