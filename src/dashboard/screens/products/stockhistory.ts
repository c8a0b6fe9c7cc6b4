// The stock of a product: adjustments with a reason, and the history of movements.
import { html } from 'hono/html'
import { mayUse } from '../../../identity/accounts/roles.ts'
import { entityPage, findRecord } from '../../../kit/declare/page.ts'
import { sql } from '../../../kit/database/sql.ts'
import { product, type Product } from '../../../commerce/catalog/product.ts'
import { inventory, inventoryTransaction, type Inventory } from '../../../commerce/inventory/inventory.ts'
import { parseActor } from '../../../commerce/inventory/stock.ts'
import { endpoint } from '../../framework/api.ts'
import { form } from '../../framework/form.ts'
import { list } from '../../framework/list.ts'
import { facts, panel } from '../../framework/parts.ts'
import type { ScreenAction, Html, FormInput, PageContext } from '../../framework/screen.ts'
import { messageOr, type Translate } from '../../framework/messages.ts'
import { loadActorNames, type ActorNames } from '../audit/actors.ts'

type StockMovement = NonNullable<typeof inventoryTransaction.type>

const reasons = ['correction', 'cycle_count', 'received', 'restock', 'return', 'damaged', 'shrinkage', 'other'] as const

// prettier-ignore
const inputs = [
  { name: 'variant_id', label: 'variant', options: variantChoices },
  { name: 'quantity', label: 'adjust_by', isHalf: true, hint: 'adjust_by_hint' },
  { name: 'reason', label: 'reason', isHalf: true,
    options: ({ t }) => reasons.map((reason) => [reason, t(`moved_for_${reason}`)]) },
] as const satisfies readonly FormInput[]

const adjust: ScreenAction = {
  route: endpoint('PATCH /inventory/products/{productId}'),
  inputs,
  idFrom: { productId: 'id' },
  done: 'stock_adjusted',
}

// prettier-ignore
export const productStock = list({
  path: '/products/{id}/stock', section: 'products', scope: 'read:inventory', title: 'stock_history',
  within: { path: '/products/{id}', title: 'product' },
  params: { id: product },
  resource: inventoryTransaction,
  narrow: ({ ids }) => sql`inventory_transactions.product_id = ${ids.id!}`,
  more: withNames,
  actions: { adjust },
  lead: adjustPanel,
  columns: [
    { title: 'moved_at', sort: 'created_at', cell: ({ created_at }, { formatTime }) => formatTime(created_at),
      csv: ({ created_at }) => created_at.toISOString() },
    { title: 'stock_change', isNumber: true, csv: ({ quantity }) => quantity,
      cell: ({ quantity }) => withSign(quantity) },
    { title: 'stock_after', isNumber: true, cell: ({ stock_after }) => String(stock_after) },
    { title: 'reason', cell: ({ reason, order_id }, { t, base }) => order_id
      ? html`<a href="${base}/orders/${order_id}">${reasonText(t, reason)}</a>` : reasonText(t, reason) },
    { title: 'moved_by', isWide: true, csv: ({ actor }) => actor, cell: ({ moved_by }) => moved_by },
    { title: 'variant', isWide: true, csv: ({ variant_id }) => variant_id,
      cell: ({ variant_id, variant_title }, { t }) => variant_id ? variant_title ?? t('variant_deleted') : '–' },
  ],
  filters: [{ name: 'variant_id', label: 'variant', options: variantChoices }],
  empty: { title: 'movements_none', text: 'movements_none_text' },
})

const withSign = (quantity: number) => (quantity > 0 ? `+${quantity}` : String(quantity))

function reasonText(t: Translate, reason: string): string {
  return messageOr(t, `moved_for_${reason}`, reason)
}

async function findInventory({ db, store, ids }: PageContext): Promise<Inventory> {
  return (await findRecord(db, inventory, store.id, ids.id!)).entity as Inventory
}

async function variantChoices(context: PageContext) {
  const { variants } = await findInventory(context)
  return variants.map(({ variant_id, title, stock_quantity }) => [variant_id, `${title} (${stock_quantity})`] as const)
}

/** With the titles of variants and the names of people. */
async function withNames(context: PageContext, rows: StockMovement[]) {
  const actors = rows.map(({ actor }) => ({ actor: parseActor(actor) }))
  const people = actors.filter(({ actor }) => actor.kind === 'user')
  const [{ variants }, names] = await Promise.all([
    findInventory(context),
    people.length > 0 ? loadActorNames(context, people) : (new Map() as ActorNames),
  ])
  const titles = new Map(variants.map(({ variant_id, title }) => [variant_id, title]))
  return rows.map((row, index) => ({
    ...row,
    variant_title: row.variant_id && titles.get(row.variant_id),
    moved_by: names.get(actors[index]!.actor.id ?? '') ?? row.actor,
  }))
}

async function adjustPanel(context: PageContext): Promise<Html> {
  const { role, t } = context
  const stock = await findInventory(context)
  const action = stock.variants.length > 0 ? adjust : { ...adjust, inputs: inputs.slice(1) }
  const values = { variant_id: context.query.variant_id, reason: 'correction' }
  const props = { act: 'adjust', action, button: 'adjust', values } as const
  const stockFacts = facts([
    [t('stock_quantity'), String(stock.stock_quantity)],
    [t('low_at'), String(stock.low_stock_threshold)],
  ])
  return panel(t('stock'), html`${stockFacts}${mayUse(role, 'write:inventory') ? await form(context, props) : ''}`)
}

/** The latest movements, for the product's screen. */
export async function latestMovements(context: PageContext, { id, variants }: Product): Promise<Html | ''> {
  const { db, store, ids, t, base, formatTime, role } = context
  if (!mayUse(role, 'read:inventory')) return ''
  const query = { page: 1, per_page: 5, sort: 'created_at', order: 'desc' } as const
  const of = sql`inventory_transactions.product_id = ${ids.id!}`
  const { data } = await entityPage(db, inventoryTransaction, store, query, of)
  const titles = new Map(variants.map((variant) => [variant.id, variant.title]))
  const rows = data.map(({ quantity, reason, created_at, stock_after, variant_id }: StockMovement) => {
    const about = [variant_id && titles.get(variant_id), formatTime(created_at)].filter(Boolean).join(' · ')
    return html`<tr><td>${reasonText(t, reason)}
<small>${about}</small></td><td class="number">${withSign(quantity)}</td>
<td class="number">${stock_after}</td></tr>`
  })
  const all = html`<a class="button quiet" href="${base}/products/${id}/stock">${t('stock_view_adjust')}</a>`
  const none = html`<p class="hint">${t('movements_none')}</p>`
  return panel(
    t('stock_history'),
    rows.length > 0 ? html`<table class="plain"><tbody>${rows}</tbody></table>` : none,
    all,
  )
}
