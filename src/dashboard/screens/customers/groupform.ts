// The form of a customer group. While rules are typed, a dry run counts the customers whom they match.
import { suggestCustomerTags } from '../tagsuggestions.ts'
import { nameOfCountry } from '../../../kit/values/countries.ts'
import { html } from 'hono/html'
import { ruleFields, type CustomerGroup } from '../../../commerce/customers/groups/group.ts'
import { countMatches } from '../../../commerce/customers/groups/members.ts'
import { pick } from '../../../kit/declare/row.ts'
import { provinceName } from '../../../kit/values/provinces.ts'
import { field } from '../../../platform/pages/form.ts'
import { endpoint } from '../../framework/api.ts'
import type { FormInput, Html, PageContext, ScreenAction } from '../../framework/screen.ts'

// prettier-ignore
const inputs: FormInput[] = [
  { name: 'name', isHalf: true },
  { name: 'description', isHalf: true, label: 'group_description' },
  { name: 'match', group: 'group_rules', hint: 'group_rules_hint' },
  { name: 'min_total_spent', as: 'money', isHalf: true },
  { name: 'max_total_spent', as: 'money', isHalf: true },
  { name: 'min_orders_count', isHalf: true },
  { name: 'max_orders_count', isHalf: true },
  { name: 'min_days_since_order', isHalf: true, hint: 'days_since_order_hint' },
  { name: 'max_days_since_order', isHalf: true },
  { name: 'country_codes', as: 'countries', isHalf: true, label: 'group_countries' },
  { name: 'provinces', as: 'provinces', isHalf: true, label: 'group_provinces' },
  { name: 'customer_tags', as: 'lines', isHalf: true, hint: 'group_tags_hint', label: 'tags',
    suggests: suggestCustomerTags },
  { name: 'accepts_marketing', isHalf: true },
]

export const createGroup: ScreenAction = {
  route: endpoint('POST /customer-groups'),
  inputs,
  body: nameToTry,
  hasDryRun: true,
  done: 'group_created',
  to: ({ id }) => `/customer-groups/${id}`,
}

export const saveGroup: ScreenAction = {
  route: endpoint('PATCH /customer-groups/{id}'),
  inputs,
  // An emptied name is sent as an empty text, so that the API rejects it.
  body: (context) => (field(context.form, 'name') === '' ? { name: '', ...nameToTry(context) } : {}),
  hasDryRun: true,
  done: 'saved',
}

/** Rules can be tried before the group has a name. */
function nameToTry({ form: submission }: PageContext): object {
  return field(submission, 'rehearse') !== '' && field(submission, 'name') === '' ? { name: '–' } : {}
}

/** Shows how many customers the rules match. */
export async function matchCount(context: PageContext, group?: CustomerGroup): Promise<Html> {
  const { t, ids } = context
  const current = (context.dryRunResult as CustomerGroup | undefined) ?? group
  const countText = current
    ? t('group_count', { count: await countGroupMatches(context, current, ids.id ?? null) })
    : ''
  return html`<p role="status" data-total>${countText}</p>
<live-total><button class="quiet" name="rehearse" value="1">${t('group_count_now')}</button></live-total>`
}

function countGroupMatches({ db, store }: PageContext, group: CustomerGroup, id: string | null): Promise<number> {
  return countMatches(db, store, pick(group, ruleNames), id)
}

const ruleNames = Object.keys(ruleFields) as (keyof typeof ruleFields)[]

/** The group's rules on one line. */
export function rulesText(context: PageContext, group: CustomerGroup): string {
  const { t, price, language } = context
  const { has_rules, match, country_codes, provinces, customer_tags, accepts_marketing } = group
  if (!has_rules) return t('group_by_hand')
  const names = ['total_spent', 'orders_count', 'days_since_order'] as const
  const limits = names.flatMap((name) =>
    (['min', 'max'] as const).flatMap((end) => {
      const limit = group[`${end}_${name}`]
      return limit === null ? [] : `${t(`${end}_${name}`)}: ${name === 'total_spent' ? price(limit) : limit}`
    }),
  )
  const marketing =
    accepts_marketing === null ? [] : [`${t('accepts_marketing')}: ${t(accepts_marketing ? 'yes' : 'no')}`]
  const texts = [
    ...limits,
    ...country_codes.map((code) => nameOfCountry(language, code)),
    ...provinces.map((code) => provinceName(code) ?? code),
    ...customer_tags,
    ...marketing,
  ]
  return `${t(`match_${match}`)}: ${texts.slice(0, 6).join(' · ')}${texts.length > 6 ? ' …' : ''}`
}
