// What a merchant types in for a provider: checked by the provider's own declaration; what is secret is sealed, and
// answered as no more than "set".
import type { Tx } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
import { objectSchema, readFields } from '../../kit/declare/composites.ts'
import type { Fields, ReadContext } from '../../kit/declare/field.ts'
import { pick } from '../../kit/declare/row.ts'
import { schemaFaults } from '../../kit/declare/schema.ts'
import { conflict, invalid } from '../../kit/values/errors.ts'
import { fault, type Fault } from '../../kit/values/faults.ts'
import type { Vault } from '../../kit/values/secrets.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { providerNamed, type ProviderName } from './providers.ts'

export type Settings = Record<string, string>
type Given = Record<string, string | null>

/** In the place of a secret that is there; sent back, it leaves the secret as it is. */
const set = 'set'

/** Every fault of what was typed in. */
export function settingFaults(provider: ProviderName, all: Given, context: ReadContext): readonly Fault[] {
  // What is taken away is not there.
  const given = Object.fromEntries(Object.entries(all).filter(([, text]) => text !== null))
  const { settings: fields } = providerNamed(provider)
  const schema = refusedBySchema(provider)(given)
  const faults = schema.length > 0 ? schema : readFields(fields, given, context, true).faults
  return faults.map((fault) => ({ ...fault, field: `settings.${fault.field}` }))
}

const compiled = new Map<ProviderName, ReturnType<typeof schemaFaults>>()

function refusedBySchema(provider: ProviderName): ReturnType<typeof schemaFaults> {
  const known = compiled.get(provider) ?? schemaFaults(objectSchema(providerNamed(provider).settings))
  compiled.set(provider, known)
  return known
}

type Stored = { provider: ProviderName; settings: Settings; secrets: string | null }

/** The columns of a method whose provider or settings change: with what is known of them, they must be whole. */
export async function settingColumns(
  tx: Tx,
  store: Store,
  id: string,
  { provider, settings }: { provider?: ProviderName; settings?: Given },
  vault: Vault,
): Promise<Record<string, unknown>> {
  if (provider === undefined && settings === undefined) return {}
  const before = await tx.one<Stored & { has_sessions: boolean }>(sql`
    select provider, settings, secrets,
      exists (
        select from payment_sessions
        where payment_sessions.store_id = ${store.id}
          and method_id = ${id}) as has_sessions
    from payment_methods
    where store_id = ${store.id}
      and id = ${id}
    for update`)
  const name = provider ?? before?.provider ?? 'manual'
  if (name === 'test' && !(await allowsTests(tx, store.id))) throw invalid(fault('provider', 'test_payments_off'))
  if (before && before.provider !== name && before.has_sessions) throw conflict('It has taken payments by its provider')
  const known = before?.provider === name ? openSettings(vault, store.id, id, before) : {}
  const merged = { ...known, ...withoutMarks(settings ?? {}, providerNamed(name).settings) }
  const faults = settingFaults(name, merged, { ...store, now: tx.now })
  if (faults.length > 0) throw invalid(...faults)
  return sealSettings(vault, store.id, id, providerNamed(name).settings, merged)
}

async function allowsTests(tx: Tx, storeId: string): Promise<boolean> {
  const store = await tx.one<{ test_payments: boolean }>(sql`select test_payments from stores where id = ${storeId}`)
  return store!.test_payments
}

function withoutMarks(given: Given, fields: Fields): Given {
  return Object.fromEntries(Object.entries(given).filter(([name, text]) => !(isSecret(fields, name) && text === set)))
}

function sealSettings(vault: Vault, storeId: string, id: string, fields: Fields, given: Given) {
  const there = Object.keys(fields).filter((name) => (given[name] ?? null) !== null)
  const secret = there.filter((name) => isSecret(fields, name))
  const shown = Object.fromEntries(there.map((name) => [name, secret.includes(name) ? set : given[name]]))
  const secrets = secret.length > 0 ? vault.seal(JSON.stringify(pick(given, secret)), placeOf(storeId, id)) : null
  return { settings: JSON.stringify(shown), secrets }
}

/** As the merchant typed them in. */
export function openSettings(
  vault: Vault,
  storeId: string,
  id: string,
  { settings, secrets }: Pick<Stored, 'settings' | 'secrets'>,
): Settings {
  return secrets === null ? settings : { ...settings, ...JSON.parse(vault.open(secrets, placeOf(storeId, id))) }
}

function isSecret(fields: Fields, name: string): boolean {
  return fields[name]?.spec.isSecret === true
}

function placeOf(storeId: string, id: string): string {
  return `payment method ${storeId} ${id}`
}
