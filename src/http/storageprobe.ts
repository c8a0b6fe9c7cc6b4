// Whether pictures can be written, for /readyz: asked now and then, and never waited for long.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../kit/values/clock.ts'
import type { Storage } from '../commerce/media/storage.ts'

const everyMs = { folder: 5000, bucket: 60_000 }
/** A failed probe is repeated sooner. */
const retryMs = 5000
/** Readiness checks give up after a second. */
const patienceMs = 500

/** Answers as of the last attempt while one takes long. */
export function storageProbe(storage: Storage, clock: Clock): () => Promise<boolean> {
  let canWrite = true
  let dueAt = -Infinity
  let attemptUnderWay: Promise<void> | null = null

  const attempt = async () => {
    canWrite = await storage.tryToWrite().then(
      () => true,
      () => false,
    )
    dueAt = clock.elapsedMs() + (canWrite ? everyMs[storage.kind] : retryMs)
    attemptUnderWay = null
  }
  return async () => {
    if (clock.elapsedMs() >= dueAt) attemptUnderWay ??= attempt()
    if (attemptUnderWay) await Promise.race([attemptUnderWay, sleep(patienceMs, undefined, { ref: false })])
    return canWrite
  }
}
