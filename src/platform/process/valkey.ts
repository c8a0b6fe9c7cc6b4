// Valkey or Redis, for shared state that may be lost. A slow command fails, and callers go on without it.
import type { Log } from './log.ts'

export type Valkey = {
  /** Runs a script of one key; rejects if there is no answer within 100 ms. */
  run(script: string, key: string, values: (string | number)[]): Promise<unknown>
  close(): Promise<void>
}

const answerWithinMs = 100

export async function openValkey(url: string, log: Log): Promise<Valkey> {
  const { Redis } = await import('ioredis')
  const client = new Redis(url, {
    commandTimeout: answerWithinMs,
    connectTimeout: 2000,
    // Without a connection, commands fail at once instead of waiting for one.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (times) => Math.min(times * 200, 2000),
    connectionName: 'stoa',
  })
  let isAway = false
  client.on('error', (error) => {
    if (!isAway) log.warn({ err: error }, 'Valkey is unreachable; each process counts rate limits alone')
    isAway = true
  })
  client.on('ready', () => {
    if (isAway) log.info('Valkey is reachable again')
    isAway = false
  })
  return {
    run: (script, key, values) => client.eval(script, 1, key, ...values),
    close: async () => client.disconnect(),
  }
}
