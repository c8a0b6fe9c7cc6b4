// What the record of a customer has after another was merged into it.
import { fault, generalFaults, type Fault } from '../../../kit/values/faults.ts'
import { maxTags } from '../../../kit/declare/tags.ts'
import type { Row } from '../../../kit/declare/row.ts'
import { maxMetadataKeys } from '../../../kit/declare/metadata.ts'
import { addMissingAddresses, maxAddresses } from '../address.ts'
import { customerFaults } from '../errors.ts'
import { customer, maxGroupsOfCustomer } from '../customer.ts'

export type CustomerRow = Row<typeof customer.row>

const maxNotes = 5000

/** The fields that change, and the faults of those that would exceed their maximum. Where both have one, it stays. */
export function uniteCustomers(
  kept: CustomerRow,
  other: CustomerRow,
): { changes: Partial<CustomerRow>; faults: Fault[] } {
  const tags = [...kept.tags, ...other.tags.filter((tag) => !hasTag(kept.tags, tag))]
  const united = {
    ...pickMissing(kept, other, ['email', 'phone', 'tax_id', 'external_id']),
    ...pickConsent(kept, other),
    tags,
    addresses: addMissingAddresses(kept.addresses, other.addresses),
    group_ids: [...new Set([...kept.group_ids, ...other.group_ids])],
    metadata: { ...other.metadata, ...kept.metadata },
    notes: [...new Set([kept.notes, other.notes])].filter(Boolean).join('\n\n') || null,
  }
  const sizes = {
    tags: [tags.length, maxTags],
    addresses: [united.addresses.length, maxAddresses],
    group_ids: [united.group_ids.length, maxGroupsOfCustomer],
    metadata: [Object.keys(united.metadata).length, maxMetadataKeys],
  } as const
  const faults = Object.entries(sizes).flatMap(([name, [size, limit]]) =>
    size > limit ? [fault(name, generalFaults.too_many_elements, { limit })] : [],
  )
  if ((united.notes?.length ?? 0) > maxNotes)
    faults.push(fault('notes', customerFaults.too_long_together, { limit: maxNotes }))
  return { changes: united, faults }
}

function hasTag(tags: readonly string[], tag: string): boolean {
  return tags.some((one) => one.toLowerCase() === tag.toLowerCase())
}

function pickMissing<K extends keyof CustomerRow>(kept: CustomerRow, other: CustomerRow, names: readonly K[]) {
  const missing = names.filter((name) => kept[name] === null && other[name] !== null)
  return Object.fromEntries(missing.map((name) => [name, other[name]])) as Partial<Pick<CustomerRow, K>>
}

/** The later answer holds; of two at once, the withdrawal. */
function pickConsent(kept: CustomerRow, other: CustomerRow): Partial<CustomerRow> {
  const [own, theirs] = [kept.marketing_consent, other.marketing_consent]
  if (!theirs || (own && own.changed_at > theirs.changed_at)) return {}
  if (own?.changed_at === theirs.changed_at && theirs.state === 'subscribed') return {}
  const { accepts_marketing, marketing_changed_at, marketing_consent } = other
  return { accepts_marketing, marketing_changed_at, marketing_consent }
}
