// Settings > Checkout: what it asks for, who is written to after leaving it, and what it offers on top.
import { askable, type AskableName } from '../../stores/asking.ts'
import { orderBump } from '../../stores/orderbump.ts'
import type { Choices, Visit } from '../page.ts'
import { mark } from '../parts.ts'
import { settingScreens } from '../settinglist.ts'
import { sheet } from '../sheet.ts'

const within = { path: '/settings', title: 'settings' } as const
const levels = ['hidden', 'optional', 'required'] as const
const levelsIn = ({ say }: Visit): Choices => levels.map((level) => [level, say(`level_${level}`)])

const names = Object.keys(askable) as AskableName[]

// prettier-ignore
export const checkoutSettings = sheet({
  path: '/settings/checkout', title: 'checkout_fields', section: 'settings', api: '/store/checkout', within,
  nav: { group: 'checkout', text: 'checkout_fields_text' },
  inputs: names.map((name) => ({ name, label: `ask_${name}`, isHalf: true, options: levelsIn })),
})

// prettier-ignore
export const recoverySettings = sheet({
  path: '/settings/checkout/recovery', title: 'recovery_settings', section: 'settings', api: '/store', within,
  nav: { group: 'checkout', text: 'recovery_settings_text' },
  inputs: [
    { name: 'checkout_abandon_after_minutes', hint: 'abandon_after_hint' },
    { name: 'recovery_email_enabled', hint: 'recovery_email_hint' },
  ],
})

// prettier-ignore
export const bumpScreens = settingScreens({
  path: '/settings/checkout/bumps', title: 'bumps', section: 'settings', api: '/store/order-bumps', within,
  nav: { group: 'checkout', text: 'bumps_text' },
  resource: orderBump,
  empty: { title: 'bumps_none', text: 'bumps_none_text' },
  add: 'bump_add',
  fresh: { is_active: true, position: 0 },
  nameOf: ({ title }) => title,
  marks: ({ is_active }, { say }) => (is_active ? '' : mark(say('switched_off'), 'plain')),
  about: ({ price, description }, visit) =>
    [price === null ? visit.say('bump_price_own') : visit.price(price), description].filter(Boolean).join(' · '),
  inputs: [
    { name: 'title', label: 'bump_title' },
    { name: 'description', as: 'area', rows: 3 },
    { name: 'price', hint: 'bump_price_hint', as: 'money', isHalf: true },
    { name: 'position', hint: 'position_hint', isHalf: true },
    { name: 'product_id', label: 'bump_product', hint: 'bump_product_hint', picks: 'products' },
    { name: 'variant_id', label: 'bump_variant', hint: 'bump_variant_hint' },
    { name: 'image', label: 'picture_url' },
    { name: 'is_active' },
  ],
})
