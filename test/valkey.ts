// A real Redis or Valkey server for tests: nothing on disk, a free port, gone with the test file.
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { after } from 'node:test'
import { pathOf } from './programs.ts'

export type TestValkey = {
  url: string
  /** Neither answers nor refuses, like a machine that hangs. */
  pause(): void
  resume(): void
}

/** `options` as on a command line. */
export async function startValkey(options = '--save ""'): Promise<TestValkey> {
  const port = await freePort()
  const server = spawn('sh', ['-c', `exec "$0" ${options} --bind 127.0.0.1 --port ${port}`, pathOf('redis')])
  after(() => server.kill('SIGKILL'))
  await ready(server)
  return {
    url: `redis://127.0.0.1:${port}`,
    pause: () => void server.kill('SIGSTOP'),
    resume: () => void server.kill('SIGCONT'),
  }
}

async function ready(server: ChildProcess): Promise<void> {
  let said = ''
  const isUp = new Promise<void>((resolve) =>
    server.stdout!.on('data', (chunk: Buffer) => {
      said += chunk.toString()
      if (/ready to accept connections/i.test(said)) resolve()
    }),
  )
  const failed = once(server, 'exit').then(() => {
    throw new Error(`redis-server ended: ${said}`)
  })
  await Promise.race([isUp, failed])
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((done) => server.close(done))
  return port
}
