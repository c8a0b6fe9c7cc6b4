// The times at which a draft is published and a product is unpublished automatically.
import { invalid } from '../../kit/values/errors.ts'
import { fault, type Fault } from '../../kit/values/faults.ts'
import { catalogFaults } from './errors.ts'

type PublishingTimes = { publish_at: Date | null; unpublish_at: Date | null }
type ScheduledProduct = { product_status: string } & PublishingTimes

type Refusal = typeof catalogFaults.only_drafts | typeof catalogFaults.only_published

/**
 * The times that a product has after a write. A change of status ends those that no longer apply: a product that is
 * active has been published, and a draft needs no end. A revert drops what would be refused.
 */
export function resolvePublishingTimes(
  now: Date,
  before: ScheduledProduct,
  patch: Partial<ScheduledProduct>,
  isRevert: boolean,
): PublishingTimes {
  const faults: Fault[] = []
  const status = patch.product_status ?? before.product_status
  const resolveTime = (name: keyof PublishingTimes, applies: boolean, refusal: Refusal): Date | null => {
    const time = patch[name] === undefined ? before[name] : patch[name]
    const isNew = time?.getTime() !== before[name]?.getTime()
    if (time === null) return null
    if (!applies || (isNew && time <= now)) {
      if (isNew && !isRevert) faults.push(fault(name, applies ? catalogFaults.not_future : refusal))
      return null
    }
    return time
  }
  const publish_at = resolveTime('publish_at', status === 'draft', catalogFaults.only_drafts)
  const isEndable = status === 'active' || (status === 'draft' && publish_at !== null)
  const unpublish_at = resolveTime('unpublish_at', isEndable, catalogFaults.only_published)
  const isBackwards = publish_at !== null && unpublish_at !== null && unpublish_at <= publish_at
  if (isBackwards && !isRevert) faults.push(fault('unpublish_at', catalogFaults.ends_before_publishing))
  if (faults.length > 0) throw invalid(...faults)
  return { publish_at, unpublish_at: isBackwards ? null : unpublish_at }
}

/** The times of a new product. */
export function resolveInitialTimes(
  now: Date,
  { product_status, ...times }: { product_status: string } & Partial<PublishingTimes>,
  isRevert: boolean,
): PublishingTimes {
  const { publish_at = null, unpublish_at = null } = times
  const noSchedule = { product_status, publish_at: null, unpublish_at: null }
  return resolvePublishingTimes(now, noSchedule, { publish_at, unpublish_at }, isRevert)
}

/** The times that an update writes: those that differ or that its body names. */
export function changedTimes(
  before: PublishingTimes,
  patch: Partial<PublishingTimes>,
  after: PublishingTimes,
): Partial<PublishingTimes> {
  const names = ['publish_at', 'unpublish_at'] as const
  const changedNames = names.filter(
    (name) => patch[name] !== undefined || after[name]?.getTime() !== before[name]?.getTime(),
  )
  return Object.fromEntries(changedNames.map((name) => [name, after[name]]))
}
