// Settings > Checkout > Payments: payment methods with the settings of their providers. Secrets are never shown again.
import { html } from 'hono/html'
import { paymentMethod } from '../../../commerce/payments/method.ts'
import { getProvider, providerNames, type ProviderName } from '../../../commerce/payments/providers.ts'
import type { ScreenAction, Choices, Html, FormInput, Screen, PageContext } from '../../framework/screen.ts'
import { endpoint } from '../../framework/api.ts'
import { button, mayDo } from '../../framework/form.ts'
import { mark, panel } from '../../framework/parts.ts'
import { newScreen, settingScreens, type SettingListProps } from '../../framework/settinglist.ts'
import { messageOr } from '../../framework/messages.ts'
import { nameOfMethod } from './shipping.ts'
import { inSettings } from '../../framework/placement.ts'

const path = '/settings/checkout/payments'
const codes = ['cod', 'bank_transfer', 'cash', 'card', 'wallet', 'other']

const codeChoices = ({ t }: PageContext): Choices => codes.map((code) => [code, messageOr(t, `method_${code}`, code)])

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
const inputsWith = (settings: readonly FormInput[]): FormInput[] => [
  { name: 'code', hint: 'method_code_hint', suggests: codeChoices, isHalf: true },
  { name: 'name', hint: 'method_name_hint', isHalf: true },
  { name: 'instructions', hint: 'instructions_hint', as: 'area' },
  ...settings,
  { name: 'position', hint: 'position_hint', isHalf: true, group: 'rate_more' },
  { name: 'is_active' },
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
  empty: { title: 'methods_none', text: 'methods_none_text' },
  addition: ({ t, base }) => html`${providerNames.map((provider) => html`<a
class="button${provider === 'manual' ? '' : ' quiet'}"
href="${base}${buildNewMethodPath(provider)}">${t(`method_add_${provider}`)}</a>`)}`,
  nameOf: nameOfMethod,
  marks: ({ is_active, provider }, { t }) => html`
${provider === 'manual' ? '' : mark(t(`provider_${provider}`), 'plain')}
${is_active ? '' : mark(t('switched_off'), 'plain')}`,
  about: ({ code, instructions }) => [code, instructions].filter(Boolean).join(' · '),
  inputs: inputsWith(distinctSettings),
  inputsOf: ({ provider }: { provider: ProviderName }) => inputsWith(buildSettingInputs(provider)),
  conflict: 'method_has_payments',
  actions: { trial },
  after: (context, { provider, webhook_url }) => providerPanel(context, provider, webhook_url),
}

const buildNewMethodPath = (provider: ProviderName) =>
  provider === 'manual' ? `${path}/new` : `${path}/new/${provider}`

const defaultCode: Record<ProviderName, string> = { manual: 'cod', test: 'other', stripe: 'card', sandbox: 'wallet' }

export const paymentScreens: Screen[] = [
  ...settingScreens(methods).filter((screen) => screen.path !== buildNewMethodPath('manual')),
  ...providerNames.map((provider) =>
    newScreen({
      ...methods,
      at: buildNewMethodPath(provider),
      add: `method_add_${provider}`,
      inputs: inputsWith(buildSettingInputs(provider)),
      body: { provider },
      defaults: { code: defaultCode[provider], is_active: true, position: 0 },
    }),
  ),
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
