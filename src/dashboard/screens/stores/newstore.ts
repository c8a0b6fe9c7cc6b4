// The page that opens a store. The person who opens it becomes its owner.
import countryToCurrency from 'country-to-currency'
import { html } from 'hono/html'
import { openStore } from '../../../identity/accounts/operations.ts'
import { createBody } from '../../../kit/declare/shape.ts'
import { ApiError } from '../../../kit/values/errors.ts'
import { getCountryLanguage } from '../../../kit/values/language.ts'
import { attributes, renderFieldFault, aboutField, notice } from '../../../platform/pages/parts.ts'
import { requireQuota } from '../../../platform/ratelimit/ratelimit.ts'
import { nowhere } from '../../../identity/account/portal.ts'
import {
  field,
  requireSession,
  titledCard,
  type Html,
  type SignInPage,
  type PageResult,
  type SignInVisit,
} from '../../../identity/signin/page.ts'
import { store } from '../../../tenancy/stores/store.ts'
import { fieldErrors, errorMessage } from '../../framework/errors.ts'
import type { Choices } from '../../framework/screen.ts'
import { dashboardTranslator } from '../../framework/messages.ts'
import { countries, currencies, languageChoices } from '../../framework/choices.ts'
import { userActor } from '../../../identity/accounts/user.ts'
import { currentTimezone } from '../../../kit/values/timezonenames.ts'

const { name, country_code, currency, default_language } = store.fields
const newStore = createBody({ name, country_code: country_code.required(), currency, default_language })

type CountryCode = keyof typeof countryToCurrency

const maxStoresPerDay = 10

/** `plan` is the plan of new stores; null if only the operator opens stores. */
export function newStorePages(plan: string | null): SignInPage[] {
  return [
    { method: 'GET', path: '/dashboard/new', run: (context) => newStorePage(context, plan) },
    { method: 'POST', path: '/dashboard/new', run: (context) => createStore(context, plan) },
  ]
}

function newStorePage(context: SignInVisit, plan: string | null, refusal?: ApiError): PageResult {
  const { language, root } = context
  requireSession(context)
  const t = dashboardTranslator(language)
  const home = html`<p class="foot"><a href="${root}/dashboard">${t('to_your_stores')}</a></p>`
  const content = plan ? form(context, refusal) : html`<p>${t('store_new_operator')}</p>`
  const status = refusal ? { status: refusal.status } : {}
  return { ...status, page: titledCard(context, t('store_new'), html`${content}${home}`) }
}

function form(context: SignInVisit, refusal?: ApiError): Html {
  const { language, root, form: input } = context
  const t = dashboardTranslator(language)
  const [first] = requireSession(context).stores
  const faults = refusal ? fieldErrors({ t }, refusal.faults) : {}
  const valueOr = (name: string, otherwise: string) => field(input, name) || otherwise
  const select = (id: string, label: string, options: Choices, value: string) => html`
<p class="field"><label for="${id}">${label}</label><select${attributes({ id, name: id })}${aboutField(id, {
    fault: faults[id],
  })}>${options.map(
    ([code, text]) => html`<option value="${code}"${attributes({ selected: code === value })}>${text}</option>`,
  )}</select></p>
${renderFieldFault(id, faults[id])}`
  const currencyChoices: Choices = [['', t('currency_of_country')], ...currencies(context)]
  const country = valueOr('country_code', first?.country_code ?? 'US')
  const nameInput = { id: 'name', name: 'name', maxlength: 120, required: true, value: field(input, 'name') }
  return html`<p>${t('store_new_text')}</p>
${refusal ? notice('error', errorMessage({ t }, refusal)) : ''}
<form method="post" action="${root}/dashboard/new">
<p class="field"><label for="name">${t('name')}</label>
<input${attributes({ ...nameInput, autocomplete: 'organization' })}${aboutField('name', {
    fault: faults.name,
    focus: true,
  })}></p>${renderFieldFault('name', faults.name)}
${select('country_code', t('country_code'), countries(context), country)}
${select('currency', t('currency'), currencyChoices, field(input, 'currency'))}
${select('default_language', t('language'), languageChoices(context), valueOr('default_language', language))}
<button class="full">${t('store_open')}</button>
</form>`
}

async function createStore(context: SignInVisit, plan: string | null): Promise<PageResult> {
  const { user_id } = requireSession(context)
  const { db, ip, userAgent } = context
  if (!plan) throw new ApiError(403, 'SCOPE_INSUFFICIENT', 'Only the operator opens stores here')
  try {
    const values = readForm(context)
    await limitStores(context, user_id)
    const id = await db.transaction((tx) =>
      openStore(tx, user_id, { ...values, plan_id: plan }, userActor(user_id, { ip, userAgent })),
    )
    return { to: `/dashboard/${id}` }
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error
    return newStorePage(context, plan, error)
  }
}

function readForm({ form }: SignInVisit) {
  const names = ['name', 'country_code', 'currency', 'default_language']
  const input = Object.fromEntries(names.map((name) => [name, field(form, name)]).filter(([, value]) => value))
  const { default_language, ...values } = newStore.read(input, nowhere)
  const isChosen = field(form, 'currency') !== ''
  const currency = isChosen
    ? values.currency
    : (countryToCurrency[values.country_code as CountryCode] ?? values.currency)
  const timezone = getMainTimezone(values.country_code)
  // The country's main language is the default, so it is not stored.
  const language = default_language === getCountryLanguage(values.country_code) ? null : (default_language ?? null)
  // The shop stays closed until its owner opens it.
  return {
    ...values,
    currency,
    timezone,
    default_language: language,
    maintenance_mode: true,
    auto_complete_orders: true,
  }
}

async function limitStores({ db, limiter }: SignInVisit, userId: string): Promise<void> {
  const window = { windowSeconds: 24 * 3600 }
  const hit = await limiter.hit(`account:${userId}:stores`, maxStoresPerDay, window)
  requireQuota(hit, db.clock.now(), window.windowSeconds)
}

// The default time zone of a new store: its country's, or the one with the largest population.

// prettier-ignore
const mainTimezones: Record<string, string> = {
  AQ: 'Antarctica/McMurdo', AR: 'America/Argentina/Buenos_Aires', AU: 'Australia/Sydney', BR: 'America/Sao_Paulo',
  CA: 'America/Toronto', CD: 'Africa/Kinshasa', CL: 'America/Santiago', CN: 'Asia/Shanghai', CY: 'Asia/Nicosia',
  DE: 'Europe/Berlin', EC: 'America/Guayaquil', ES: 'Europe/Madrid', FM: 'Pacific/Pohnpei', GL: 'America/Nuuk',
  ID: 'Asia/Jakarta', KI: 'Pacific/Tarawa', KZ: 'Asia/Almaty', MH: 'Pacific/Majuro', MN: 'Asia/Ulaanbaatar',
  MX: 'America/Mexico_City', MY: 'Asia/Kuala_Lumpur', NZ: 'Pacific/Auckland', PF: 'Pacific/Tahiti',
  PG: 'Pacific/Port_Moresby', PS: 'Asia/Hebron', PT: 'Europe/Lisbon', RU: 'Europe/Moscow', UA: 'Europe/Kyiv',
  UM: 'Pacific/Wake', US: 'America/New_York', UZ: 'Asia/Tashkent',
}

export function getMainTimezone(country: string): string {
  return mainTimezones[country] ?? listTimezones(country)[0] ?? 'UTC'
}

export function listTimezones(country: string): readonly string[] {
  return (new Intl.Locale('und', { region: country }).getTimeZones?.() ?? []).map(currentTimezone)
}
