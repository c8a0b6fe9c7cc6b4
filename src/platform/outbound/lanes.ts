import { Pool } from 'undici'
import { guardedConnector, type ConnectorOptions } from './connect.ts'

const maxConnections = 8
const maxHeaderBytes = 16_384

export type LanePools = ReturnType<typeof lanePools>

// undici's Agent keeps one pool for an origin; here each lane on it has its own.
export function lanePools({ idleTimeoutMs, ...options }: ConnectorOptions & { idleTimeoutMs: number }) {
  const connect = guardedConnector(options)
  const pools = new Map<string, Pool>()

  const open = (key: string, origin: string): Pool => {
    const pool = new Pool(origin, {
      connect,
      connections: maxConnections,
      pipelining: 1,
      allowH2: false,
      maxHeaderSize: maxHeaderBytes,
      // The call's own deadline covers these.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: idleTimeoutMs,
      // The longest keep-alive that a receiver's header may ask for.
      keepAliveMaxTimeout: 30_000,
    })
    const release = () => {
      if (pool.stats.connected > 0 || pool.stats.size > 0) return
      if (pools.get(key) === pool) pools.delete(key)
      if (!pool.closed) void pool.close()
    }
    // An aborted call still counts until the event's turn is over.
    const releaseSoon = () => {
      setImmediate(release)
    }
    pool.on('disconnect', releaseSoon).on('connectionError', releaseSoon)
    pools.set(key, pool)
    return pool
  }

  return {
    of: (origin: string, lane: string): Pool => {
      const key = `${origin} ${lane}`
      return pools.get(key) ?? open(key, origin)
    },
    count: () => pools.size,
    close: async () => {
      await Promise.all([...pools.values()].map((pool) => pool.close()))
      pools.clear()
    },
  }
}
