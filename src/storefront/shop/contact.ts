// A visitor writes to the merchant. Where nobody would read it there is no such page.
import { html } from 'hono/html'
import { ApiError, notFound } from '../../kit/values/errors.ts'
import { newEnquiry, queueEnquiry } from '../../tenancy/emails/enquiry.ts'
import { aboutField, attributes, faultOf, notice } from '../../platform/pages/parts.ts'
import { inWords } from './frame/faults.ts'
import { rows } from './frame/formrows.ts'
import { metaOf } from './frame/meta.ts'
import { field, type Html, type Reply, type Visit } from './frame/page.ts'
import { contactPath, reachedBy } from './frame/surround.ts'
import { frame, note } from './frame/view.ts'

const names = ['name', 'email', 'message'] as const
type Name = (typeof names)[number]
type Typed = Record<Name, string>

/** No person sees this field, and programs that fill in every field do. */
const trap = 'website'

export function showContact(visit: Visit): Reply {
  const { face, query, say } = visit
  if (!face.takes_enquiries) throw notFound('Page')
  if (query.sent) return { page: note(visit, { title: say('message_sent'), text: say('message_sent_text') }) }
  return { page: form(visit, { name: '', email: '', message: '' }) }
}

export async function sendMessage(visit: Visit): Promise<Reply> {
  const { db, store, face, guard } = visit
  if (!face.takes_enquiries) throw notFound('Page')
  const sent: Reply = { to: `${contactPath}?sent=1` }
  if (field(visit.form, trap) !== '') return sent
  const typed = Object.fromEntries(names.map((name) => [name, field(visit.form, name)])) as Typed
  try {
    const enquiry = newEnquiry.read(filledIn(typed), { ...store, now: db.clock.now() })
    await guard.write(store.id)
    const isQueued = await db.transaction((tx) => queueEnquiry(tx, store, enquiry))
    if (!isQueued) throw notFound('Page')
    return sent
  } catch (error) {
    if (!(error instanceof ApiError) || ![422, 429].includes(error.status)) throw error
    // Whatever is wrong with it, what was typed stays.
    return { status: error.status, headers: error.headers, page: form(visit, typed, error) }
  }
}

function filledIn(typed: Typed): Partial<Typed> {
  return Object.fromEntries(names.flatMap((name) => (typed[name] === '' ? [] : [[name, typed[name]]])))
}

function form(visit: Visit, typed: Typed, error?: ApiError): Html {
  const { say, root, face, offer, store } = visit
  const said = inWords(visit, error?.faults ?? [])
  const title = say('contact')
  const description = say('contact_text', { store: offer.store_title ?? store.name })
  const reached = reachedBy(face)
  return frame(visit, {
    title,
    head: metaOf(visit, { title, description, path: contactPath, image: face.hero_image ?? face.logo }),
    content: html`<div class="ask"><h1>${title}</h1>
<p>${description}</p>
${reached.length > 0 ? html`<address class="pre">${reached.map((line) => html`${line}<br>`)}</address>` : ''}
${error?.status === 429 ? notice('error', say('too_many_messages')) : ''}
<form method="post" action="${root}${contactPath}" novalidate data-once>
${labelled(visit, 'name', said, html`<input${about(typed, said, 'name', { autocomplete: 'name' })}>`)}
${labelled(visit, 'email', said, html`<input${about(typed, said, 'email', mailbox)}>`)}
${labelled(
  visit,
  'message',
  said,
  html`<textarea rows="6"${about({ ...typed, message: '' }, said, 'message')}>
${typed.message}</textarea>`,
)}
<p class="hidden" aria-hidden="true"><label for="${trap}">${say('leave_empty')}</label>
<input id="${trap}" name="${trap}" tabindex="-1" autocomplete="off"></p>
<button class="full">${say('send_message')}</button>
</form></div>`,
  })
}

const mailbox = { type: 'email', autocomplete: 'email' }

type Said = Record<string, string>

function labelled({ say }: Visit, name: Name, said: Said, control: Html): Html {
  const label = { name: rows['customer.name'].label, email: rows['customer.email'].label, message: 'message' } as const
  const beside = name === 'name' ? html` <small>${say('optional')}</small>` : ''
  return html`<p class="field"><label for="${name}">${say(label[name])}${beside}</label>
${control}</p>${faultOf(name, said[name])}`
}

/** The first field with a fault gets the focus. */
function about(typed: Typed, said: Said, name: Name, own: Record<string, string> = {}): Html {
  const { maxLength } = (newEnquiry.schema.properties as Record<Name, { maxLength: number }>)[name]
  const shared = { id: name, name, maxlength: maxLength, value: typed[name], required: name !== 'name' }
  const focus = names.find((one) => said[one]) === name
  return html`${attributes({ ...shared, ...own })}${aboutField(name, { fault: said[name], focus })}`
}
