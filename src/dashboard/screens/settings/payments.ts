// Settings > Checkout > Payments: payment methods with the settings of their providers. Secrets are never shown again.
import { html } from 'hono/html'
import { paymentMethod } from '../../../commerce/payments/method.ts'
import { getProvider, providerNames, type ProviderName } from '../../../commerce/payments/providers.ts'
import type { ScreenAction, Html, FormInput, Screen, PageContext } from '../../framework/screen.ts'
import { endpoint } from '../../framework/api.ts'
import { button, mayDo } from '../../framework/form.ts'
import { mark, panel } from '../../framework/parts.ts'
import { newScreen, settingScreens, type SettingListProps } from '../../framework/settinglist.ts'
import { icon, type IconName } from '../../framework/icons.ts'
import { chooseCode, nameOfMethod, typeInput } from './methodcode.ts'
import { inSettings } from '../../framework/placement.ts'

const path = '/settings/checkout/payments'
/** Inputs for the settings that the provider declares. */
function buildSettingInputs(provider: ProviderName): FormInput[] {
  const { settings } = getProvider(provider)
  return Object.entries(settings).map(([name, { spec }], index): FormInput => {
    const { schema, isSecret = false } = spec
    const words = { label: `setting_${name}`, hint: `setting_${name}_${provider}` } as Pick<FormInput, 'label' | 'hint'>
    const group = index === 0 ? ({ group: 'provider_settings' } as const) : {}
    return { name: `settings.${name}`, schema, ...words, ...(isSecret ? { as: 'secret' } : {}), ...group }
  })
}

// prettier-ignore
const offered: readonly FormInput[] = [
  { name: 'name', hint: 'method_name_hint' },
  { name: 'instructions', hint: 'instructions_hint', as: 'area' },
]

// prettier-ignore
const inputsWith = (settings: readonly FormInput[]): FormInput[] => [
  ...offered,
  ...settings,
  { name: 'is_active', group: 'rate_more' },
]

const allSettings = providerNames.flatMap(buildSettingInputs)
const distinctSettings = allSettings.filter(
  ({ name }, index) => allSettings.findIndex((other) => other.name === name) === index,
)

const isRemote = (provider: ProviderName) => getProvider(provider).kind === 'remote'

const trial: ScreenAction = {
  route: endpoint('POST /store/payment-methods/{id}/test'),
  done: 'saved',
  renderResult: trialResult,
}

// prettier-ignore
const methods: SettingListProps<typeof paymentMethod.fields> = {
  path, title: 'payment_methods', api: '/store/payment-methods',
  ...inSettings('checkout', { text: 'payment_methods_text', icon: 'card' }),
  resource: paymentMethod,
  isOrdered: true,
  empty: { title: 'methods_none', text: 'methods_none_text' },
  add: 'payment_add',
  cards: providerCards,
  nameOf: nameOfMethod,
  marks: ({ is_active, provider }, { t }) => html`
${provider === 'manual' ? '' : mark(t(`provider_${provider}`), 'plain')}
${is_active ? '' : mark(t('switched_off'), 'plain')}`,
  about: ({ instructions }) => instructions ?? '',
  inputs: inputsWith(distinctSettings),
  inputsOf: ({ provider }: { provider: ProviderName }) => inputsWith(buildSettingInputs(provider)),
  conflict: 'method_has_payments',
  actions: { trial },
  after: (context, { provider, webhook_url }) => providerPanel(context, provider, webhook_url),
}

/** The most useful first. */
const cards = [
  ['stripe', 'card'],
  ['manual', 'receipt'],
  ['test', 'proposal'],
  ['sandbox', 'code'],
] as const satisfies readonly (readonly [ProviderName, IconName])[]

function providerCards({ t, base }: PageContext): Html {
  const items = cards.map(
    ([provider, name]) => html`<li>${icon(name)}<div>
<a href="${base}${path}/new/${provider}"><strong>${t(`method_add_${provider}`)}</strong></a>
<span class="hint">${t(`method_text_${provider}`)}</span></div></li>`,
  )
  return html`<ul class="places">${items}</ul>`
}

const defaultCode: Record<ProviderName, string> = { manual: 'cod', test: 'other', stripe: 'card', sandbox: 'wallet' }

const newMethodScreens = providerNames.map((provider) =>
  newScreen({
    ...methods,
    at: `${path}/new/${provider}`,
    add: `method_add_${provider}`,
    inputs: [
      ...(provider === 'manual' ? [typeInput(['cod', 'bank_transfer', 'cash'])] : []),
      ...offered,
      ...buildSettingInputs(provider),
    ],
    body: async (context, input) => ({
      provider,
      ...(await chooseCode(context, paymentMethod, { code: defaultCode[provider], ...input })),
    }),
    defaults: { code: defaultCode[provider] },
  }),
)

const [list, , one] = settingScreens(methods)

export const paymentScreens: Screen[] = [
  list,
  {
    path: `${path}/new`,
    title: 'payment_add',
    section: 'settings',
    scope: 'read:store',
    within: { path, title: 'payment_methods' },
    show: async (context) => ({ content: html`<div class="panel">${providerCards(context)}</div>` }),
  },
  one,
  ...newMethodScreens,
]

/** Shows the webhook URL for the provider, and tests the credentials. */
function providerPanel(context: PageContext, provider: ProviderName, webhookUrl: string | null): Html | '' {
  const { t } = context
  if (!isRemote(provider)) return ''
  const testButton = mayDo(context, trial) ? button(context, { act: 'trial', text: 'method_test' }) : ''
  return panel(
    t('provider_told'),
    html`<p class="hint">${t('webhook_url_text')}</p>
<copy-text label="${t('copy')}" done="${t('copied')}"><code>${webhookUrl ?? ''}</code></copy-text>
<h3>${t('method_test')}</h3><p class="hint">${t('method_test_text')}</p>${testButton}`,
  )
}

type MethodTestResult = { succeeded: boolean; reason: string | null }

function trialResult({ t, here }: PageContext, { succeeded, reason }: MethodTestResult): Html {
  const text = t(succeeded ? 'method_test_good' : 'method_test_bad')
  return html`<div class="notice ${succeeded ? 'done' : 'error'}" role="${succeeded ? 'status' : 'alert'}"><p>${text}
${reason ?? ''}</p></div><p><a class="button quiet" href="${here}">${t('back')}</a></p>`
}
