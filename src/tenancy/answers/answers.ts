// Caches answers in memory, proven by the versions of their sources: none is older than the last acknowledged write
// on any node. The order ensures it: the versions are read first, then the data.
import { gzipSync } from 'node:zlib'
import { LRUCache } from 'lru-cache'
import { Counter, Gauge } from 'prom-client'
import type { Database, Db, ReadWitness } from '../../kit/database/database.ts'
import { join, raw, sql } from '../../kit/database/sql.ts'
import { metrics } from '../../platform/process/metrics.ts'
import { openReadings, type TimeColumns } from './dependencies.ts'
import { admission, openVersions, sumVersions, type ReadVersions, type SubjectSet, type Versions } from './versions.ts'

/** The stored part of a response: its text as bytes, the length of the text, its entity tag if any, and more. */
type Answer = {
  body: Buffer
  length: number
  etag: string | null
  headers: Record<string, string>
  gzip: Buffer | null
}

type ResponseMeta = { etag: string | null; headers?: Record<string, string>; isCompressed?: boolean }

/** Proof that an answer still holds: the version of its subjects, and its lifetime if it depends on the time. */
type Proof = { subjects: SubjectSet; version: number; life: Validity | null }
type Validity = { from: number; until: number }
type CacheEntry = Answer & Proof

export type ResponseCache = {
  versionsOf: ReadVersions
  /** The answer for a key, if it still holds. */
  find(key: string, versions: Versions): Answer | undefined
  /** Begins an answer and observes its reads. */
  begin(key: string, storeId: string, versions: Versions): PendingEntry
  close(): void
}

export type PendingEntry = {
  witness: ReadWitness
  /** Null if the data that was read can change without a new version. */
  prove(): Promise<ProvenAnswer | null>
}

type ProvenAnswer = {
  /** An entity tag from the versions of the data that was read. */
  tag: string
  /** Stores the answer if its key was requested before: most are not requested again. Null if it is not stored. */
  keep(body: string, more: ResponseMeta): Answer | null
}

const lookups = new Counter({
  name: 'answer_cache_lookups_total',
  help: 'Lookups of answers in memory by result',
  labelNames: ['result'],
  registers: [metrics],
})
new Gauge({
  name: 'answer_cache_bytes',
  help: 'Bytes of answers in memory',
  registers: [metrics],
  collect() {
    this.set([...caches].reduce((sum, { calculatedSize }) => sum + calculatedSize, 0))
  },
})
/** The caches of all apps of the process. */
const caches = new Set<LRUCache<string, CacheEntry>>()

// An entry beside its body.
const overheadBytes = 500
const maxKeyLength = 500
const maxAsked = 10_000
/** No answer may take more than this share of the memory. */
const largestShare = 1 / 8

/** `edition` names what answers depend on beside the data: the program and its settings. */
export function openResponseCache(
  db: Database,
  { maxBytes, edition }: { maxBytes: number; edition: string },
): ResponseCache {
  const entries = new LRUCache<string, CacheEntry>({
    maxSize: maxBytes,
    maxEntrySize: Math.floor(maxBytes * largestShare),
    sizeCalculation: ({ body, gzip }, key) => body.length + (gzip?.length ?? 0) + key.length + overheadBytes,
  })
  caches.add(entries)
  const keys = new LRUCache<string, true>({ max: maxAsked })
  const newReading = openReadings(db)
  const keep = (key: string, text: string, more: ResponseMeta, proof: Proof): Answer | null => {
    if (key.length > maxKeyLength) return null
    const wasAsked = entries.has(key) || keys.has(key)
    keys.set(key, true)
    if (!wasAsked) return null
    const { etag, headers = {}, isCompressed = false } = more
    const body = Buffer.from(text)
    const answer = { body, length: text.length, etag, headers, gzip: isCompressed ? gzipSync(body) : null }
    entries.set(key, { ...answer, ...proof })
    return answer
  }
  return {
    versionsOf: openVersions(db),
    find(key, versions) {
      const one = entries.get(key)
      const isCurrent = one && versions && holds(one, versions, db.clock.now())
      lookups.inc({ result: isCurrent ? 'hit' : 'miss' })
      return isCurrent ? one : undefined
    },
    begin(key, storeId, versions) {
      const reading = newReading()
      const begunAt = db.clock.now()
      const prove = async (): Promise<ProvenAnswer | null> => {
        const dependence = versions && (await reading.found())
        if (!dependence) return null
        const subjects = dependence.subjects | admission
        const version = sumVersions(versions, subjects)
        const life = dependence.moments.length > 0 ? await readValidity(db, storeId, dependence.moments, begunAt) : null
        const parts = [edition, version.toString(36), ...(life ? [life.until.toString(36)] : [])]
        return { tag: `"${parts.join('-')}"`, keep: (text, more) => keep(key, text, more, { subjects, version, life }) }
      }
      return { witness: reading, prove }
    },
    close: () => void caches.delete(entries),
  }
}

function holds({ subjects, version, life }: Proof, versions: readonly number[], now: Date): boolean {
  return (
    sumVersions(versions, subjects) === version && (!life || (life.from <= now.getTime() && now.getTime() < life.until))
  )
}

/** An answer that depends on the time holds until the next time in the columns that it depends on. */
async function readValidity(db: Db, storeId: string, moments: readonly TimeColumns[], from: Date): Promise<Validity> {
  const next = moments.flatMap(({ source, columns }) =>
    columns.map(
      (column) => sql`
      select min(${raw(column)}) as at
      from ${raw(source)}
      where store_id = ${storeId}
        and ${raw(column)} > ${from}`,
    ),
  )
  const row = await db.one<{ at: Date | null }>(sql`select min(at) as at from (${join(next, ' union all ')}) as next`)
  return { from: from.getTime(), until: row?.at?.getTime() ?? endOfTime }
}

const endOfTime = 8.64e15
