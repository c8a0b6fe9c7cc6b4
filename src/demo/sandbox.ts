// The demo store's card: paid at the sandbox provider where the operator has one, and by nobody where there is none.
import type { Db, Tx } from '../kit/database/database.ts'
import { sql } from '../kit/database/sql.ts'
import { vault as vaultOf } from '../kit/values/secrets.ts'
import { paymentMethods } from '../money/payments/method.ts'
import { updateSetting } from '../tenancy/stores/setting.ts'
import { loadStore } from '../tenancy/stores/store.ts'
import { accountOf, webhookSecretOf, type Account } from './psp/account.ts'

/** The same at each start, whatever the sandbox remembers. */
function accountFor(secretKey: string, storeId: string): Account {
  const text = vaultOf(secretKey).sign(storeId, 'sandbox account')
  return accountOf(`sk_sandbox_${text.replaceAll('-', '_')}`)
}

/** Moves the card of the demo store there, or back to the provider that does what the shopper says. */
export async function payCardsAt(
  tx: Tx,
  { id: storeId, slug }: { id: string; slug: string },
  { sandboxUrl, secretKey }: { sandboxUrl: string | null; secretKey: string },
): Promise<void> {
  const [provider, other] = sandboxUrl === null ? ['test', 'sandbox'] : ['sandbox', 'test']
  const card = await findCard(tx, storeId, slug, other!)
  if (!card) return
  const account = accountFor(secretKey, storeId)
  const settings = { api_key: account.key, webhook_secret: webhookSecretOf(account) }
  const store = (await loadStore(tx, sql`stores.id = ${storeId}`))!
  const change = { provider, settings: sandboxUrl === null ? {} : settings }
  await updateSetting(tx, store, paymentMethods, card, change, { vault: vaultOf(secretKey) })
}

/** Of the demo store alone: its slug is none that a merchant has chosen. */
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

const patienceMs = 2_000

/** Tells the sandbox who the demo store is and where its webhooks go. Away, it is told at the next start. */
export async function introduceDemo(
  { id, name, slug }: { id: string; name: string; slug: string },
  { sandboxUrl, baseUrl, secretKey }: { sandboxUrl: string; baseUrl: string; secretKey: string },
): Promise<void> {
  if (!isDemo({ slug })) return
  const { key } = accountFor(secretKey, id)
  await fetch(`${sandboxUrl}/v1/account`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name, webhook_url: `${baseUrl}/payments/${id}/card` }),
    signal: AbortSignal.timeout(patienceMs),
  }).catch(() => {})
}
