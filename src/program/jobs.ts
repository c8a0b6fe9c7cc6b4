// The jobs and their intervals; those of extensions are in their folders. The delivery of webhooks, the mail sender and
// the request log have loops of their own.
import type { Config } from './config.ts'
import type { Deps } from '../developer/routes.ts'
import type { Database } from '../kit/database/database.ts'
import type { Job, JobWork } from '../platform/process/jobs.ts'
import type { Log } from '../platform/process/log.ts'
import { backupJob } from '../platform/postgres/backupschedule.ts'
import { program } from './cli/commandline.ts'
import { sealJob } from '../tenancy/audit/chain.ts'
import { auditRetentionJob } from '../tenancy/audit/retention.ts'
import { daysJob } from '../developer/requests/days.ts'
import { mailPurgeJob } from '../tenancy/emails/purge.ts'
import { proposalPurgeJob } from '../developer/proposals/purge.ts'
import { appWebhooksJob } from '../tenancy/events/appwebhooks.ts'
import { numberingJob } from '../tenancy/events/sequencer.ts'
import { shopperPurgeJobs } from '../storefront/accounts/purge.ts'
import type { Passed } from '../extensions/list.ts'
import { sweepJob } from '../storefront/checkout/drafts/sweep.ts'
import { pendingPaymentJobs } from '../storefront/checkout/settlement/pendingpayments.ts'
import { forgetAnswersJob } from '../http/idempotency.ts'
import { dayRollupJob, quarterRollupJob } from '../money/reports/rollup.ts'
import { summariesJob } from '../commerce/notifications/summaries.ts'
import { publishingJob } from '../commerce/catalog/publishing.ts'
import { draftsJob, leftoversJob } from '../commerce/media/leftovers.ts'
import { unusedJob } from '../commerce/media/retention.ts'
import { purgeJob } from '../identity/oauth/purge.ts'
import { providerRequestJobs } from '../money/processing/providerrequests.ts'
import { overdueRequestsJob } from '../money/processing/overdue.ts'
import { retentionJob } from '../developer/webhooks/delivery/purge.ts'
import { extensions } from '../tenancy/extensions/loaded.ts'

type JobParts = {
  config: Config
  db: Database
  databaseUrl: string
  secretKey: string
  log: Log
  deps: Omit<Deps, 'perform'>
  /** True for an app below an address of another. */
  isInner: boolean
}

const minute = 60
const hour = 60 * minute

export async function buildJobs({ config, ...parts }: JobParts): Promise<Job[]> {
  const { db, log, deps } = parts
  const { media } = deps
  const { BACKUP_DIR: folder, BACKUP_EVERY_H: everyHours, BACKUP_KEEP: keep } = config
  const [paymentJob, recheckJob] = pendingPaymentJobs(db, log, deps)
  // prettier-ignore
  const table: [everySeconds: number, work: JobWork | JobWork[]][] = [
    [config.CHECKOUT_SWEEP_EVERY_S, sweepJob(deps)],
    [5,           sealJob()],
    [10,          publishingJob()],
    [20,          quarterRollupJob(log)],
    [30,          providerRequestJobs(db, log, deps)],
    [30,          paymentJob],
    [minute,      recheckJob],
    [minute,      numberingJob()],
    [minute,      appWebhooksJob()],
    [minute,      summariesJob()],
    [minute,      media.sizing.job],
    [minute,      leftoversJob(media.storage)],
    [5 * minute,  backupJob(folder ? { folder, everyHours, keep } : null, program, log)],
    [5 * minute,  purgeJob()],
    [5 * minute,  overdueRequestsJob()],
    [10 * minute, dayRollupJob(log)],
    [10 * minute, retentionJob()],
    [10 * minute, forgetAnswersJob()],
    [10 * minute, mailPurgeJob()],
    [10 * minute, proposalPurgeJob()],
    [10 * minute, shopperPurgeJobs()],
    [30 * minute, draftsJob(media.storage)],
    [hour,        daysJob()],
    [hour,        auditRetentionJob(config.AUDIT_KEEP_DAYS)],
    [6 * hour,    unusedJob()],
  ]
  const passed: Passed['jobs'] = parts
  const added = await Promise.all(extensions.map(({ jobs }) => jobs?.(passed) ?? []))
  const jobs = [
    ...table.flatMap(([everySeconds, work]) => [work].flat().map((one) => ({ ...one, everySeconds }))),
    ...added.flat(),
  ]
  // A look for what is due asks every server of a distributed database.
  return db.isDistributed ? jobs.map((job) => ({ ...job, everySeconds: Math.max(job.everySeconds, minute) })) : jobs
}
