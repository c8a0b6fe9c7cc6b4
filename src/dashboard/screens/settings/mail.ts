// Settings > Mail: kinds of emails with texts and preview, and the log of sent emails.
import { html } from 'hono/html'
import type { Language } from '../../../kit/values/language.ts'
import { mayUse } from '../../../identity/accounts/roles.ts'
import { mail } from '../../../tenancy/emails/mail.ts'
import { mailKinds, type MailKind } from '../../../tenancy/emails/kinds.ts'
import { inFrame } from '../../../platform/pages/frame.ts'
import { attributes } from '../../../platform/pages/parts.ts'
import { offeredLanguages, ownLanguage } from '../../../tenancy/stores/language.ts'
import { endpoint } from '../../framework/api.ts'
import { read } from '../../framework/call.ts'
import { button, mayDo } from '../../framework/form.ts'
import { list } from '../../framework/list.ts'
import type { ScreenAction, Html, FormInput, PageResult, Screen, PageContext } from '../../framework/screen.ts'
import { mark, panel } from '../../framework/parts.ts'
import { nameOfLanguage } from '../../../platform/pages/language.ts'
import { settingsForm } from '../../framework/settingsform.ts'
import { inSettings } from '../../framework/placement.ts'

const path = '/settings/mail'
/** The preview shows an order. */
const previewScope = 'read:orders'
const buildMailPath = (kind: MailKind) => `${path}/${kind.replaceAll('_', '-')}`

// prettier-ignore
export const mailSettings = settingsForm({
  path, title: 'mail', api: '/store',
  ...inSettings('store', { text: 'mail_text', icon: 'mail' }),
  before: mailKindList,
  inputs: [
    { name: 'notification_email', hint: 'notification_email_hint', group: 'mail_addresses' },
    { name: 'reply_to_email', hint: 'reply_to_email_hint' },
  ],
})

type MailKindState = { kind: MailKind; is_active: boolean }

async function mailKindList(context: PageContext): Promise<Html> {
  const { t, base } = context
  const { data } = await read(context, endpoint('GET /store/mails'))
  const rows = (data as MailKindState[]).map(
    ({
      kind,
      is_active,
    }) => html`<li><div><p><a class="main" href="${base}${buildMailPath(kind)}">${t(`mail_${kind}`)}</a>
${is_active ? '' : mark(t('switched_off'), 'plain')}</p><p class="hint">${t(`mail_${kind}_when`)}</p></div></li>`,
  )
  return html`<p><a class="button quiet" href="${base}${path}/log">${t('mail_log')}</a></p>
<ul class="records" aria-label="${t('letters')}">${rows}</ul>`
}

/** One screen for each kind, with its texts in each language of the shop. */
export const letterScreens: readonly Screen[] = mailKinds.map((kind) =>
  settingsForm({
    path: buildMailPath(kind),
    title: `mail_${kind}`,
    section: 'settings',
    within: { path, title: 'mail' },
    api: '/store/mails/{kind}',
    fixed: { kind },
    inputs: ({ store }) => [
      { name: 'is_active', label: 'mail_is_sent' },
      ...offeredLanguages(store).flatMap(textInputs),
    ],
    placeholders: ({ usual }) => usual,
    after: (context) => (mayUse(context.role, previewScope) ? previewPanel(context, kind) : ''),
    previewScope,
    preview: (context) => previewFrame(context, kind),
  }),
)

const textInputs = (language: Language): FormInput[] => [
  { name: `${language}.subject`, label: 'mail_subject', group: `language_${language}` },
  { name: `${language}.introduction`, label: 'mail_introduction', hint: 'mail_words_hint', as: 'area' },
]

function previewPanel(context: PageContext, kind: MailKind): Html {
  const { t, base, store, language, db } = context
  const choices = offeredLanguages(store)
  const frames = choices.map((other, index) => {
    // The time makes the URL new after each save, so that the frame reloads.
    const src = `${base}${buildMailPath(kind)}/preview?language=${other}&at=${db.clock.now().getTime()}`
    const name = nameOfLanguage(language, other)
    const about = { src, title: `${t('preview')}: ${name}` }
    return html`<details class="more"${index === 0 ? html` open` : ''}><summary>${name}</summary>
<iframe${attributes(about)}></iframe></details>`
  })
  return panel(t('preview'), html`<p class="hint">${t('mail_preview_text')}</p>${frames}`)
}

/** Renders the email with the saved texts. */
async function previewFrame(context: PageContext, kind: MailKind): Promise<PageResult> {
  const { language = ownLanguage(context.store) } = context.query
  const { data } = await read(context, endpoint('GET /store/mails/{kind}/preview'), {
    params: { kind },
    query: { language },
  })
  return { page: inFrame(data.html), isLetter: true }
}

const tones = { queued: 'warn', sent: 'good', failed: 'bad', refused: 'bad', suppressed: 'plain' } as const

const resend: ScreenAction = { route: endpoint('POST /mails/{id}/resend'), done: 'mail_resent' }

// prettier-ignore
export const mailLog = list({
  path: `${path}/log`, section: 'settings', scope: 'read:orders', title: 'mail_log', resource: mail,
  within: { path, title: 'mail' },
  actions: { resend },
  columns: [
    { title: 'recipient', cell: ({ recipient }) => recipient ?? '–', csv: ({ recipient }) => recipient },
    { title: 'mail_kind', isWide: true, cell: ({ kind }, { t }) => t(`mail_${kind}`), csv: ({ kind }) => kind },
    { title: 'order', isWide: true, csv: ({ order_id }) => order_id,
      cell: ({ order_id }, { base, t }) =>
        order_id ? html`<a class="main" href="${base}/orders/${order_id}">${t('mail_its_order')}</a>` : '–' },
    { title: 'status', csv: ({ status }) => status,
      cell: ({ status, error }, { t }) => html`${mark(t(`mail_status_${status}`), tones[status])}
${error ? html`<span class="hint">${error}</span>` : ''}` },
    { title: 'created_at', sort: 'created_at', isWide: true, csv: ({ created_at }) => created_at.toISOString(),
      cell: ({ created_at }, { formatTime }) => formatTime(created_at) },
    { title: 'actions', csv: () => null,
      cell: ({ id, recipient }, context) =>
        recipient && mayDo(context, resend) ? button(context, { act: 'resend', fixed: { id }, text: 'resend' }) : '' },
  ],
  filters: [
    { name: 'status', words: 'mail_status' },
    { name: 'kind', label: 'mail_kind', words: 'mail' },
    { name: 'recipient', label: 'recipient' },
  ],
  empty: { title: 'mail_none', text: 'mail_none_text' },
})
