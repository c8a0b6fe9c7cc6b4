import { Pool, type buildConnector } from 'undici'

const maxConnections = 8
const maxHeaderBytes = 16_384

// undici's Agent keeps one pool for an origin; here it is one for a lane on it.
export function lanePools(connect: buildConnector.connector, idleTimeoutMs: number) {
  const pools = new Map<string, Pool>()

  const open = (key: string, origin: string): Pool => {
    const pool = new Pool(origin, {
      connect,
      connections: maxConnections,
      pipelining: 1,
      allowH2: false,
      maxHeaderSize: maxHeaderBytes,
      // A call's own deadline covers all of it.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: idleTimeoutMs,
      // The most that a receiver may ask for in its Keep-Alive header.
      keepAliveMaxTimeout: 30_000,
    })
    const release = () => {
      if (pool.stats.connected > 0 || pool.stats.size > 0) return
      if (pools.get(key) === pool) pools.delete(key)
      if (!pool.closed) void pool.close()
    }
    // A call that was broken off still counts until the turn of the event is over.
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
