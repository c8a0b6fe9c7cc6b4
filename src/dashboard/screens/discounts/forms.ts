// The form of a discount; its inputs depend on the type.
import { html } from 'hono/html'
import { discountKinds, type Discount } from '../../../commerce/discounts/discount.ts'
import { field, type Form } from '../../../platform/pages/form.ts'
import { hasFeature } from '../../../tenancy/plans/plan.ts'
import { endpoint } from '../../framework/api.ts'
import { groupChoices } from '../customers/groupchoices.ts'
import type { ScreenAction, Html, FormInput, PageContext } from '../../framework/screen.ts'

/** Enough for all products and categories that a discount may name. */
export const limits = { fields: 1100, bytes: 128 * 1024 }

export const discountTypes = ['percentage', 'fixed_amount', 'free_shipping', 'buy_x_get_y'] as const
export type DiscountType = (typeof discountTypes)[number]

// prettier-ignore
const values: Record<DiscountType, FormInput[]> = {
  percentage:    [{ name: 'value', label: 'discount_percent', isHalf: true }],
  fixed_amount:  [{ name: 'value', label: 'discount_amount', as: 'money', isHalf: true }],
  free_shipping: [],
  buy_x_get_y:   [
    { name: 'value', label: 'discount_gets_percent', hint: 'discount_gets_percent_hint', isHalf: true },
    { name: 'max_per_order', hint: 'max_per_order_hint', isHalf: true },
    { name: 'buy_quantity', isHalf: true },
    { name: 'get_quantity', isHalf: true },
  ],
}

// prettier-ignore
const terms: FormInput[] = [
  { name: 'min_order_amount', as: 'money', isHalf: true, hint: 'min_order_amount_hint' },
  { name: 'min_quantity', isHalf: true, hint: 'min_quantity_hint' },
  { name: 'max_uses', isHalf: true, hint: 'max_uses_hint' },
  { name: 'once_per_customer', hint: 'once_per_customer_hint' },
  { name: 'starts_at', isHalf: true, hint: 'starts_at_hint' },
  { name: 'expires_at', isHalf: true, hint: 'expires_at_hint', label: 'ends' },
]

// prettier-ignore
const scope: FormInput[] = [
  { name: 'applies_to_all', label: 'discount_applies', as: 'radios', options: scopeChoices },
  { name: 'applicable_product_ids', label: 'products', picks: 'products' },
  { name: 'applicable_category_ids', label: 'categories', picks: 'categories' },
]

// prettier-ignore
const boughtInputs: FormInput[] = [
  { name: 'buy_product_ids', picks: 'products', hint: 'buy_scope_hint' },
  { name: 'buy_category_ids', picks: 'categories' },
]

// prettier-ignore
const names: FormInput[] = [
  { name: 'code', isHalf: true, hint: 'code_hint' },
  { name: 'title', label: 'discount_title', isHalf: true, hint: 'discount_title_hint' },
  { name: 'is_automatic', label: 'discount_is_automatic' },
]
const combining: FormInput = {
  name: 'combines_with',
  as: 'boxes',
  hint: 'combines_with_hint',
  options: ({ t }) => discountKinds.map((kind) => [kind, t(`combines_${kind}`)] as const),
}
const forGroups: FormInput = {
  name: 'customer_group_ids',
  label: 'customer_groups',
  as: 'boxes',
  hint: 'discount_groups_hint',
  options: groupChoices,
}
const active: FormInput = { name: 'is_active', label: 'discount_on' }

const all = [...names, ...values.buy_x_get_y, ...terms, forGroups, ...boughtInputs, ...scope, combining, active]

export const create: ScreenAction = {
  route: endpoint('POST /discounts'),
  inputs: all,
  body: ({ form: input }) => {
    const type = field(input, 'type')
    return { type, ...(type === 'free_shipping' ? { value: 0 } : {}), ...scopeBody(input) }
  },
  done: 'discount_created',
  to: ({ id }) => `/discounts/${id}`,
}

export const save: ScreenAction = {
  route: endpoint('PATCH /discounts/{id}'),
  inputs: all,
  body: ({ form: input }) => scopeBody(input),
  done: 'saved',
}

function scopeChoices({ t }: PageContext) {
  return [
    ['true', t('discount_for_all')],
    ['false', t('discount_for_some')],
  ] as const
}

/** A discount for everything names no products, so that it does not need the plan's feature. */
function scopeBody(input: Form): object {
  const isForSome = field(input, 'applies_to_all') === 'false'
  return isForSome
    ? { applies_to_all: false }
    : { applies_to_all: true, applicable_product_ids: [], applicable_category_ids: [] }
}

/** The inputs depend on the type, the plan and the groups. */
export async function discountInputs(context: PageContext, discount: DiscountToEdit): Promise<FormInput[]> {
  const { type } = discount
  const groups = await buildGroupInputs(context, discount)
  const isScoped = hasFeature(context.store.plan, 'discounts_advanced')
  const ofProducts = isScoped ? [...(type === 'buy_x_get_y' ? boughtInputs : []), ...scope] : []
  return [...names, ...values[type], ...terms, ...groups, ...ofProducts, combining, active]
}

export type DiscountToEdit = Partial<Discount> & { type: DiscountType }

export function planHint({ store, t }: PageContext): Html | '' {
  return hasFeature(store.plan, 'discounts_advanced') ? '' : html`<p class="hint">${t('discount_scope_plan')}</p>`
}

/** A deleted group stays until its box is cleared: without it, the discount would be for everyone. */
async function buildGroupInputs(
  context: PageContext,
  { customer_group_ids = [] }: Partial<Discount>,
): Promise<FormInput[]> {
  const choices = await groupChoices(context)
  const knownIds = new Set(choices.map(([id]) => id))
  const missingGroups = customer_group_ids
    .filter((id) => !knownIds.has(id))
    .map((id) => [id, context.t('group_gone')] as const)
  const options = [...choices, ...missingGroups]
  return options.length === 0 ? [] : [{ ...forGroups, options: () => options }]
}
