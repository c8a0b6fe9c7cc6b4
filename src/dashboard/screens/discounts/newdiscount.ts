// The screen of a new discount, of the type in the address or copied from another.
import { html } from 'hono/html'
import { findRecord } from '../../../kit/declare/page.ts'
import { toUuid } from '../../../kit/values/ids.ts'
import { notFound } from '../../../kit/values/errors.ts'
import { discount, type Discount } from '../../../commerce/discounts/discount.ts'
import { attributes } from '../../../platform/pages/parts.ts'
import type { Html, Screen, PageContext } from '../../framework/screen.ts'
import { create, discountForm, discountTypes, limits, type DiscountType } from './forms.ts'
import { discounts } from './discounts.ts'
import { placeBelow } from '../../framework/placement.ts'

const blankDiscount = { applies_to_all: true, is_active: true } as const

export const newDiscount: Screen = {
  path: '/discounts/new',
  ...placeBelow(discounts),
  scope: 'write:discounts',
  title: 'discount_new',
  limits,
  actions: { create },
  async show(context) {
    const { query } = context
    const record: Partial<Discount> = query.copy
      ? { ...(await original(context, query.copy)), code: '' }
      : blankDiscount
    const chosenType = discountTypes.find((type) => type === query.type)
    const type = chosenType ?? record.type ?? 'percentage'
    return {
      content: html`${query.copy ? '' : typeLinks(context, type)}
<div class="card">${await discountForm(context, { type, record })}</div>`,
    }
  },
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
