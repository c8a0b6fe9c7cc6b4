// Settings > Custom fields: the fields of each kind of record, in the order of their forms.
import { html } from 'hono/html'
import { customField, customFieldTypes } from '../../../tenancy/stores/customfield.ts'
import { customFieldKinds, type CustomFieldKind } from '../../../tenancy/stores/customfieldkind.ts'
import { sql } from '../../../kit/database/sql.ts'
import { mark } from '../../framework/parts.ts'
import { inSettings } from '../../framework/placement.ts'
import type { Choices, FormInput, PageContext, Screen } from '../../framework/screen.ts'
import { settingScreens } from '../../framework/settinglist.ts'

const types = ({ t }: PageContext): Choices => customFieldTypes.map((type) => [type, t(`custom_type_${type}`)])

const audiences =
  (kind: CustomFieldKind) =>
  ({ t }: PageContext): Choices => [
    ['staff', t('custom_seen_by_staff')],
    ['shop', t('custom_seen_by_shop')],
    ...(kind === 'product' ? [['filter', t('custom_seen_as_filter')] as const] : []),
  ]

function listInputs(kind: CustomFieldKind): FormInput[] {
  return [
    { name: 'label', label: 'custom_label', isHalf: true },
    { name: 'key', label: 'custom_key', hint: 'custom_key_hint', isHalf: true },
    { name: 'type', label: 'custom_type', options: types },
    { name: 'choices', label: 'custom_choices', hint: 'custom_choices_hint', as: 'lines', rows: 3 },
    { name: 'description', label: 'custom_help', hint: 'custom_help_hint', as: 'area', rows: 2 },
    ...(kind === 'customer'
      ? []
      : [{ name: 'visibility', label: 'custom_visibility', options: audiences(kind) } as const]),
    { name: 'is_required', label: 'custom_required', hint: 'custom_required_hint' },
    ...(kind === 'order' ? [{ name: 'asked_at_checkout', label: 'custom_asked' } as const] : []),
    { name: 'is_active', hint: 'custom_active_hint' },
  ]
}

// prettier-ignore
const screensOf = (kind: CustomFieldKind): readonly Screen[] => settingScreens({
  path: `/settings/custom-fields/${kind}s`, title: `custom_fields_${kind}`, api: '/store/custom-fields',
  section: 'settings',
  within: { path: '/settings/custom-fields', title: 'custom_fields' },
  resource: customField,
  narrow: sql`custom_fields.applies_to = ${kind}`,
  isOrdered: true,
  empty: { title: 'custom_none', text: 'custom_none_text', icon: 'fields' },
  add: 'custom_add',
  defaults: { is_active: true, type: 'text', visibility: 'staff' },
  nameOf: ({ label }) => label,
  marks: ({ is_active, is_required }, { t }) => html`${is_required ? mark(t('custom_required'), 'plain') : ''}${
    is_active ? '' : mark(t('switched_off'), 'plain')}`,
  about: ({ key, type, choices }, { t }) =>
    [t(`custom_type_${type}`), choices.join(', '), key].filter(Boolean).join(' · '),
  conflict: 'custom_in_use',
  body: { applies_to: kind },
  inputs: listInputs(kind),
})

/** Links to the list of each kind. */
const overview: Screen = {
  path: '/settings/custom-fields',
  scope: 'read:store',
  title: 'custom_fields',
  ...inSettings('store', { text: 'custom_fields_text', icon: 'fields' }),
  async show({ db, store, t, base }) {
    const counts = await db.rows<{ applies_to: CustomFieldKind; count: number }>(sql`
      select applies_to, count(*) as count
      from custom_fields
      where store_id = ${store.id}
      group by applies_to`)
    const rows = customFieldKinds.map((kind) => {
      const count = counts.find(({ applies_to }) => applies_to === kind)?.count ?? 0
      return html`<li class="whole-row"><div>
<p><a class="main" href="${base}/settings/custom-fields/${kind}s">${t(`custom_fields_${kind}`)}</a></p>
<p class="hint">${t('custom_count', { count })}</p></div></li>`
    })
    return { content: html`<ul class="records" aria-label="${t('custom_fields')}">${rows}</ul>` }
  },
}

export const customFieldScreens: readonly Screen[] = [overview, ...customFieldKinds.flatMap(screensOf)]
