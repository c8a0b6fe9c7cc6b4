// The sandbox payment provider, which moves no real money, on a port of its own.
import path from 'node:path'
import type { Log } from '../../platform/process/log.ts'
import { version } from '../../platform/process/version.ts'
import type { Extension } from '../../tenancy/extensions/extension.ts'

export type SandboxParts = {
  config: { HOST: string; SANDBOX_PORT: number; DATA_DIR: string }
  sandboxUrl: string | null
  log: Log
}

export const sandbox = {
  name: 'sandbox',
  version,
  async start({ config, sandboxUrl, log }: SandboxParts) {
    const { HOST: host, SANDBOX_PORT: port, DATA_DIR } = config
    if (port === 0) return null
    const { openSandbox } = await import('./server.ts')
    const file = path.join(DATA_DIR, 'sandbox.jsonl')
    const { close } = await openSandbox({ host, port, url: sandboxUrl!, file, log })
    return close
  },
} satisfies Extension
