// The screen of a new discount, of the type in the address or copied from another.
import { html } from 'hono/html'
import { findRecord } from '../../../kit/declare/page.ts'
import { toUuid } from '../../../kit/values/ids.ts'
import { notFound } from '../../../kit/values/errors.ts'
import { discount, type Discount } from '../../../commerce/discounts/discount.ts'
import { attributes } from '../../../platform/pages/parts.ts'
import { record } from '../../framework/record.ts'
import type { Html, PageContext } from '../../framework/screen.ts'
import {
  create,
  discountInputs,
  discountTypes,
  limits,
  planHint,
  type DiscountToEdit,
  type DiscountType,
} from './forms.ts'
import { discounts } from './discounts.ts'
import { placeBelow } from '../../framework/placement.ts'

const blankDiscount = { applies_to_all: true, is_active: true } as const

// prettier-ignore
export const newDiscount = record({
  path: '/discounts/new', ...placeBelow(discounts), scope: 'write:discounts', title: 'discount_new', limits,
  actions: { create },
  read: blankOrCopy,
  lead: [(context, { type }) => (context.query.copy ? '' : typeLinks(context, type))],
  main: [{ isNarrow: true, form: {
    act: 'create', button: 'discount_create', values: (one) => one, fixed: ({ type }) => ({ type }),
    inputs: discountInputs, more: planHint,
  } }],
})

async function blankOrCopy(context: PageContext): Promise<DiscountToEdit> {
  const { copy, type: typeChosen } = context.query
  const from: Partial<Discount> = copy ? { ...(await original(context, copy)), code: '' } : blankDiscount
  return { ...from, type: discountTypes.find((type) => type === typeChosen) ?? from.type ?? 'percentage' }
}

async function original({ db, store }: PageContext, id: string): Promise<Discount> {
  const uuid = toUuid('disc', id)
  if (uuid === null) throw notFound(discount.noun)
  return (await findRecord(db, discount, store.id, uuid)).entity
}

function typeLinks({ t, base }: PageContext, current: DiscountType): Html {
  const links = discountTypes.map((type) => {
    const about = { class: type === current ? 'button' : 'button quiet', 'aria-current': type === current && 'page' }
    return html`<a href="${base}/discounts/new?type=${type}"${attributes(about)}>${t(`discount_type_${type}`)}</a>`
  })
  return html`<nav class="pair kinds" aria-label="${t('discount_kind')}">${links}</nav>`
}
