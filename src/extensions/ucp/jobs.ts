import type { Database } from '../../kit/database/database.ts'
import type { Job } from '../../platform/process/jobs.ts'
import type { Log } from '../../platform/process/log.ts'
import { orderWebhookJobs, type OrderWebhookDeps } from './orderwebhooks.ts'
import { signingKeysJob } from './signingkeys.ts'

export type UcpJobParts = { db: Database; log: Log; deps: OrderWebhookDeps; isInner: boolean }

/** An app below an address of another tells no agent about its orders. */
export function buildUcpJobs({ db, log, deps, isInner }: UcpJobParts): Job[] {
  const webhooks = isInner ? [] : orderWebhookJobs(db, log, deps)
  return [
    ...webhooks.map((work) => ({ ...work, everySeconds: 5 })),
    { ...signingKeysJob(deps.vault), everySeconds: 3600 },
  ]
}
