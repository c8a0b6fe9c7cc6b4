// A form for messages to the merchant. A store that cannot receive them has no such page.
import { html } from 'hono/html'
import { ApiError, notFound } from '../../kit/values/errors.ts'
import { newEnquiry, queueEnquiry } from '../../tenancy/emails/enquiry.ts'
import { aboutField, attributes, renderFieldFault, notice } from '../../platform/pages/parts.ts'
import { fieldErrors } from './frame/fielderrors.ts'
import { rows } from './frame/formrows.ts'
import { renderMeta } from './frame/meta.ts'
import { field, type Html, type ShopResult, type ShopContext } from './frame/page.ts'
import { contactPath, contactLines } from './frame/headerfooter.ts'
import { frame, note } from './frame/view.ts'

const names = ['name', 'email', 'message'] as const
type EnquiryField = (typeof names)[number]
type EnquiryInput = Record<EnquiryField, string>

/** A hidden field that only programs fill in. */
const trap = 'website'

export function showContact(context: ShopContext): ShopResult {
  const { face, query, t } = context
  if (!face.takes_enquiries) throw notFound('Page')
  if (query.sent) return { page: note(context, { title: t('message_sent'), text: t('message_sent_text') }) }
  return { page: form(context, { name: '', email: '', message: '' }) }
}

export async function sendMessage(context: ShopContext): Promise<ShopResult> {
  const { db, store, face, guard } = context
  if (!face.takes_enquiries) throw notFound('Page')
  const confirmation: ShopResult = { to: `${contactPath}?sent=1` }
  if (field(context.form, trap) !== '') return confirmation
  const input = Object.fromEntries(names.map((name) => [name, field(context.form, name)])) as EnquiryInput
  try {
    const enquiry = newEnquiry.read(withoutEmpty(input), store)
    await guard.write(store.id)
    const isQueued = await db.transaction((tx) => queueEnquiry(tx, store, enquiry))
    if (!isQueued) throw notFound('Page')
    return confirmation
  } catch (error) {
    if (!(error instanceof ApiError) || ![422, 429].includes(error.status)) throw error
    // The typed text stays in the form.
    return { status: error.status, headers: error.headers, page: form(context, input, error) }
  }
}

function withoutEmpty(input: EnquiryInput): Partial<EnquiryInput> {
  return Object.fromEntries(names.flatMap((name) => (input[name] === '' ? [] : [[name, input[name]]])))
}

function form(context: ShopContext, input: EnquiryInput, error?: ApiError): Html {
  const { t, root, face, offer, store } = context
  const errors = fieldErrors(context, error?.faults ?? [])
  const title = t('contact')
  const description = t('contact_text', { store: offer.store_title ?? store.name })
  const contact = contactLines(face)
  return frame(context, {
    title,
    head: renderMeta(context, { title, description, path: contactPath, image: face.hero_image ?? face.logo }),
    content: html`<div class="ask"><h1>${title}</h1>
<p>${description}</p>
${contact.length > 0 ? html`<address class="pre">${contact.map((line) => html`${line}<br>`)}</address>` : ''}
${error?.status === 429 ? notice('error', t('too_many_messages')) : ''}
<form method="post" action="${root}${contactPath}" novalidate data-once>
${renderLabeledField(context, 'name', errors, html`<input${about(input, errors, 'name', { autocomplete: 'name' })}>`)}
${renderLabeledField(context, 'email', errors, html`<input${about(input, errors, 'email', mailbox)}>`)}
${renderLabeledField(
  context,
  'message',
  errors,
  html`<textarea rows="6"${about({ ...input, message: '' }, errors, 'message')}>
${input.message}</textarea>`,
)}
<p class="hidden" aria-hidden="true"><label for="${trap}">${t('leave_empty')}</label>
<input id="${trap}" name="${trap}" tabindex="-1" autocomplete="off"></p>
<button class="full">${t('send_message')}</button>
</form></div>`,
  })
}

const mailbox = { type: 'email', autocomplete: 'email' }

type EnquiryErrors = Record<string, string>

function renderLabeledField({ t }: ShopContext, name: EnquiryField, errors: EnquiryErrors, control: Html): Html {
  const label = { name: rows['customer.name'].label, email: rows['customer.email'].label, message: 'message' } as const
  const suffix = name === 'name' ? html` <small>${t('optional')}</small>` : ''
  return html`<p class="field"><label for="${name}">${t(label[name])}${suffix}</label>
${control}</p>${renderFieldFault(name, errors[name])}`
}

/** The first field with a fault gets the focus. */
function about(input: EnquiryInput, errors: EnquiryErrors, name: EnquiryField, own: Record<string, string> = {}): Html {
  const { maxLength } = (newEnquiry.schema.properties as Record<EnquiryField, { maxLength: number }>)[name]
  const inputAttributes = { id: name, name, maxlength: maxLength, value: input[name], required: name !== 'name' }
  const focus = names.find((one) => errors[one]) === name
  return html`${attributes({ ...inputAttributes, ...own })}${aboutField(name, { fault: errors[name], focus })}`
}
