// A store's custom domain: it is verified by a TXT record in the domain's DNS.
import type { Db, Tx } from '../../kit/database/database.ts'
import { conflict, invalid } from '../../kit/values/errors.ts'
import { fault, type Fault } from '../../kit/values/faults.ts'
import { object } from '../../kit/declare/composites.ts'
import { choice, text } from '../../kit/declare/scalars.ts'
import { resource, type Json } from '../../kit/declare/resource.ts'
import { json, type WriteResult } from '../../kit/declare/route.ts'
import type { Vault } from '../../kit/values/secrets.ts'
import { createBody } from '../../kit/declare/shape.ts'
import { sql } from '../../kit/database/sql.ts'
import type { TextLookup } from '../../platform/outbound/records.ts'
import { followStore } from './followups.ts'
import { findStore } from './operations.ts'
import { domain, isDomain, store as stores, storeChanged, type Store } from './store.ts'
import { storeFaults } from './errors.ts'

export type DomainDeps = { vault: Vault; textLookup: TextLookup }

const { custom_domain, domain_verified } = stores.fields

export const domainSchema = resource(
  'stores',
  {
    custom_domain,
    domain_verified,
    record: object({
      type: choice(['TXT']).required(),
      name: text().required().example('_stoa.shop.example.com'),
      value: text().required().example('stoa-verification=0hT…'),
    })
      .nullable()
      .describe('DNS record that verifies the domain; null without a domain'),
  },
  {},
  { noun: 'Domain' },
).entity

export const domainBody = createBody({
  custom_domain: domain().required().describe('Current custom_domain of the store').example('shop.example.com'),
})

export async function findDomain(db: Db, store: Store, { vault }: DomainDeps): Promise<Json<any>> {
  const current = (await db.one<{ custom_domain: string | null; domain_verified: boolean }>(sql`
    select custom_domain, domain_verified
    from stores
    where id = ${store.id}`))!
  return json({
    ...current,
    record: current.custom_domain && buildDomainRecord(vault, store.id, current.custom_domain),
  })
}

/** The faults of a domain that its DNS does not verify. */
export async function findDomainFaults(
  body: Record<string, unknown>,
  { vault, textLookup }: DomainDeps,
  store: Store,
): Promise<Fault[]> {
  const { custom_domain: domainName } = body
  if (typeof domainName !== 'string' || !isDomain(domainName)) return []
  const { name: recordName, value } = buildDomainRecord(vault, store.id, domainName)
  const lookup = await textLookup(recordName)
  if ('failure' in lookup) return [fault('custom_domain', storeFaults.domain_unreachable, { failure: lookup.failure })]
  if (lookup.texts.includes(value)) return []
  return [fault('custom_domain', storeFaults.domain_unproven, { value, name: recordName })]
}

/** Marks the domain as verified. The online store is served there from now on. */
export async function verifyDomain(tx: Tx, store: Store, domainName: string): Promise<WriteResult<object>> {
  const [row] = await tx.rows(
    sql`
    update stores
    set domain_verified = true,
        updated_at = case when domain_verified then updated_at else ${tx.now} end
    where id = ${store.id}
      and custom_domain = ${domainName}
    returning id`,
    { stores_custom_domain: () => conflict(`The domain ${domainName} belongs to another store`) },
  )
  if (!row) throw invalid(fault('custom_domain', storeFaults.domain_foreign))
  followStore(tx, store.id)
  tx.afterCommit(() => tx.bus.publish(storeChanged, store.id))
  return findStore(tx, store.id)
}

function buildDomainRecord(vault: Vault, storeId: string, name: string): { type: 'TXT'; name: string; value: string } {
  return { type: 'TXT', name: `_stoa.${name}`, value: `stoa-verification=${vault.sign(name, `domain of ${storeId}`)}` }
}
