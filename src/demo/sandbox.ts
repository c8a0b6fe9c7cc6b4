// Connects the demo store's card method to the sandbox provider, if the operator runs one.
import type { Db, Tx } from '../kit/database/database.ts'
import { sql } from '../kit/database/sql.ts'
import { vault as vaultOf } from '../kit/values/secrets.ts'
import { paymentMethods } from '../commerce/payments/method.ts'
import { updateSetting } from '../tenancy/stores/setting.ts'
import { loadStore } from '../tenancy/stores/store.ts'
import { requireSandboxAccount, deriveWebhookSecret, type SandboxAccount } from '../extensions/sandbox/account.ts'

/** Returns the same account at each start, even if the sandbox has lost its state. */
function accountFor(secretKey: string, storeId: string): SandboxAccount {
  const text = vaultOf(secretKey).sign(storeId, 'sandbox account')
  return requireSandboxAccount(`sk_sandbox_${text.replaceAll('-', '_')}`)
}

/** Moves the card method to the sandbox, or back to the built-in test provider. */
export async function setCardProvider(
  tx: Tx,
  { id: storeId, slug }: { id: string; slug: string },
  { sandboxUrl, secretKey }: { sandboxUrl: string | null; secretKey: string },
): Promise<void> {
  const [provider, previousProvider] = sandboxUrl === null ? ['test', 'sandbox'] : ['sandbox', 'test']
  const card = await findCard(tx, storeId, slug, previousProvider!)
  if (!card) return
  const account = accountFor(secretKey, storeId)
  const settings = { api_key: account.key, webhook_secret: deriveWebhookSecret(account) }
  const store = (await loadStore(tx, storeId))!
  const change = { provider, settings: sandboxUrl === null ? {} : settings }
  await updateSetting(tx, store, paymentMethods, card, change, { vault: vaultOf(secretKey) })
}

/** Only finds the demo store's card: stores are recognized by the demo's slug. */
async function findCard(db: Db, storeId: string, slug: string, provider: string): Promise<string | undefined> {
  if (!isDemo({ slug })) return undefined
  const card = await db.one<{ id: string }>(sql`
    select id
    from payment_methods
    where store_id = ${storeId}
      and code = 'card'
      and provider = ${provider}`)
  return card?.id
}

const demoSlug = 'harbour-and-pine'

export function isDemo({ slug }: { slug: string }): boolean {
  return slug === demoSlug
}

const timeoutMs = 2_000

/** Registers the store's name and webhook URL at the sandbox. If it is down, the next start tries again. */
export async function registerAtSandbox(
  { id, name, slug }: { id: string; name: string; slug: string },
  { sandboxUrl, baseUrl, secretKey }: { sandboxUrl: string; baseUrl: string; secretKey: string },
): Promise<void> {
  if (!isDemo({ slug })) return
  const { key } = accountFor(secretKey, id)
  await fetch(`${sandboxUrl}/v1/account`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name, webhook_url: `${baseUrl}/payments/${id}/card` }),
    signal: AbortSignal.timeout(timeoutMs),
  }).catch(() => {})
}
