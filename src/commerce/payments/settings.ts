// A merchant's settings for a provider, checked by the provider's own declaration. Secrets are sealed; answers say only
// that they are set.
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
import { getProvider, type ProviderName } from './providers.ts'
import { paymentFaults } from './errors.ts'

export type ProviderSettings = Record<string, string>
type SettingsInput = Record<string, string | null>

/** Replaces a stored secret in answers. Sent back, it keeps the secret. */
const secretMark = 'set'

/** All faults of the typed settings. */
export function settingFaults(provider: ProviderName, all: SettingsInput, context: ReadContext): readonly Fault[] {
  // Null removes a setting.
  const input = Object.fromEntries(Object.entries(all).filter(([, text]) => text !== null))
  const { settings: fields } = getProvider(provider)
  const schema = compileSettingsCheck(provider)(input)
  const faults = schema.length > 0 ? schema : readFields(fields, input, context, true).faults
  return faults.map((fault) => ({ ...fault, field: `settings.${fault.field}` }))
}

const settingChecks = new Map<ProviderName, ReturnType<typeof schemaFaults>>()

function compileSettingsCheck(provider: ProviderName): ReturnType<typeof schemaFaults> {
  const listSettingFaults = settingChecks.get(provider) ?? schemaFaults(objectSchema(getProvider(provider).settings))
  settingChecks.set(provider, listSettingFaults)
  return listSettingFaults
}

type StoredSettings = { provider: ProviderName; settings: ProviderSettings; secrets: string | null }

/** The columns of a method whose provider or settings change. Together with the stored ones, they must be complete. */
export async function settingColumns(
  tx: Tx,
  store: Store,
  id: string,
  { provider, settings }: { provider?: ProviderName; settings?: SettingsInput },
  vault: Vault,
): Promise<Record<string, unknown>> {
  if (provider === undefined && settings === undefined) return {}
  const before = await tx.one<StoredSettings & { has_sessions: boolean }>(sql`
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
  if (name === 'test' && !(await allowsTests(tx, store.id)))
    throw invalid(fault('provider', paymentFaults.test_payments_off))
  if (before && before.provider !== name && before.has_sessions)
    throw conflict('The provider cannot be changed: this method has taken payments')
  const existing = before?.provider === name ? openSettings(vault, store.id, id, before) : {}
  const newSettings = { ...existing, ...withoutMarks(settings ?? {}, getProvider(name).settings) }
  const faults = settingFaults(name, newSettings, store)
  if (faults.length > 0) throw invalid(...faults)
  return sealSettings(vault, store.id, id, getProvider(name).settings, newSettings)
}

async function allowsTests(tx: Tx, storeId: string): Promise<boolean> {
  const store = await tx.one<{ test_payments: boolean }>(sql`select test_payments from stores where id = ${storeId}`)
  return store!.test_payments
}

function withoutMarks(input: SettingsInput, fields: Fields): SettingsInput {
  return Object.fromEntries(
    Object.entries(input).filter(([name, text]) => !(isSecret(fields, name) && text === secretMark)),
  )
}

function sealSettings(vault: Vault, storeId: string, id: string, fields: Fields, input: SettingsInput) {
  const names = Object.keys(fields).filter((name) => (input[name] ?? null) !== null)
  const secretNames = names.filter((name) => isSecret(fields, name))
  const visible = Object.fromEntries(names.map((name) => [name, secretNames.includes(name) ? secretMark : input[name]]))
  const secrets =
    secretNames.length > 0 ? vault.seal(JSON.stringify(pick(input, secretNames)), sealContext(storeId, id)) : null
  return { settings: JSON.stringify(visible), secrets }
}

/** Returns the settings with their secrets opened. */
export function openSettings(
  vault: Vault,
  storeId: string,
  id: string,
  { settings, secrets }: Pick<StoredSettings, 'settings' | 'secrets'>,
): ProviderSettings {
  return secrets === null ? settings : { ...settings, ...JSON.parse(vault.open(secrets, sealContext(storeId, id))) }
}

function isSecret(fields: Fields, name: string): boolean {
  return fields[name]?.spec.isSecret === true
}

/** The context to which the secrets are sealed. */
export function sealContext(storeId: string, id: string): string {
  return `payment method ${storeId} ${id}`
}
