// What a form of a screen does: it is asked about first where that cannot be undone, it calls the API, and what the API
// refuses is said beside the fields. What was typed stays.
import { html } from 'hono/html'
import { ApiError, notFound } from '../../kit/values/errors.ts'
import { addressWith } from '../../platform/pages/address.ts'
import { field, fieldsNamed } from '../../platform/pages/form.ts'
import { hidden } from '../../platform/pages/parts.ts'
import { call, demandScope, rehearse } from './call.ts'
import { callMerged } from './merge.ts'
import { faultsIn, refusalIn } from './faults.ts'
import { bodyOf } from './formbody.ts'
import { labelOf } from './form.ts'
import { frame, noticeCookie } from './frame.ts'
import { inputsOf } from './inputs.ts'
import { facts, panel } from './parts.ts'
import type { Action, ActionCall, Reply, Screen, Visit } from './page.ts'
import type { Word } from './words.ts'

const maximumTicked = 100

export async function act(screen: Screen, visit: Visit): Promise<Reply> {
  const name = field(visit.form, 'act')
  const action = Object.hasOwn(screen.actions ?? {}, name) ? screen.actions![name]! : null
  if (!action) throw notFound('Action')
  demandScope(visit, action.route)
  if (field(visit.form, 'pick') !== '') return lookAgain(screen, visit, name)
  if (action.isForEach && tickedIn(visit).length === 0) return showRefused(screen, visit, 422, visit.say('tick_some'))
  if (action.ask && field(visit.form, 'sure') !== '1') return askFirst(screen, visit, action)
  try {
    if (action.calls) return await actOnAll(screen, visit, action.calls(visit))
    if (action.rehearses && field(visit.form, 'rehearse') !== '') return await tryIt(screen, visit, action)
    return await (action.isForEach ? actOnEach(screen, visit, action) : actOnce(screen, visit, action))
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error
    const { status } = error
    if (status === 404) return showGone(visit, action)
    const { fieldOf = (field: string) => field } = action
    const named = error.faults.map((fault) => ({ ...fault, field: fieldOf(fault.field, visit.form) }))
    const text = refusalIn(visit, error, action)
    return showRefused(screen, visit, status, text, faultsIn(visit, named), error)
  }
}

/** Somebody has deleted the record: what was typed can still be copied. */
function showGone(visit: Visit, action: Action): Reply {
  const { say, form } = visit
  const typed = inputsOf(action, visit).map((input) => [labelOf(visit, input), field(form, input.name)] as const)
  const rows = typed.filter(([, text]) => text !== '')
  const kept = rows.length > 0 ? panel(say('typed_here'), facts(rows)) : ''
  const content = html`<p class="notice error" role="alert">${say('record_gone_text')}</p>${kept}`
  return { status: 404, page: frame(visit, { path: '', title: 'record_gone', section: 'home' }, { content }) }
}

/** The screen with its form as it was typed, and what was refused of it. */
async function showRefused(
  screen: Screen,
  visit: Visit,
  status: number,
  text: string,
  faults: Record<string, string> = {},
  error?: ApiError,
): Promise<Reply> {
  const refused = { act: field(visit.form, 'act'), status, text, faults, ...(error ? { error } : {}) }
  const again = { ...visit, refused }
  return { status, page: frame(again, screen, await screen.show(again)) }
}

/** Somebody searches within the form: it comes back as it was typed, with what was found. */
async function lookAgain(screen: Screen, visit: Visit, act: string): Promise<Reply> {
  const again = { ...visit, refused: { act, status: 200, text: '', faults: {} } }
  return { page: frame(again, screen, await screen.show(again)) }
}

/** The form comes back as it was typed, with what it would make. */
async function tryIt(screen: Screen, visit: Visit, action: Action): Promise<Reply> {
  const sent = { params: paramsOf(visit, action, visit.form), body: await bodyFrom(visit, action) }
  const rehearsed = await rehearse(visit, action.route, sent)
  const again = { ...visit, rehearsed, refused: { act: field(visit.form, 'act'), status: 200, text: '', faults: {} } }
  return { page: frame(again, screen, await screen.show(again)) }
}

async function actOnce(screen: Screen, visit: Visit, action: Action): Promise<Reply> {
  const { form, base, here } = visit
  const once = field(form, 'once')
  const answer = await callMerged(visit, action, {
    params: paramsOf(visit, action, form),
    body: await bodyFrom(visit, action),
    version: field(form, 'version'),
    once,
  })
  if (action.next) {
    const { route, ...sent } = await action.next(answer, visit)
    await call(visit, route, { ...sent, body: { ...sent.body }, once: once && `${once} then` })
  }
  const content = action.shows?.(visit, answer)
  if (content) return { page: frame(visit, screen, { content }) }
  const to = action.to ? base + action.to(answer, visit) : here
  return leadOn(to, action.done)
}

/** The next page confirms the change once: a cookie carries the notice, so that no address can claim one. */
function leadOn(location: string, done: Word, count?: number): Reply {
  return {
    location: addressWith(location, {}),
    cookies: { [noticeCookie]: count === undefined ? done : `${done}.${count}` },
  }
}

/** Each is a change of its own: what one refuses does not hold up the others. */
async function actOnEach(screen: Screen, visit: Visit, action: Action): Promise<Reply> {
  const { here, say } = visit
  const body = await bodyFrom(visit, action)
  const refusals: ApiError[] = []
  const ids = tickedIn(visit)
  for (const id of ids) {
    const own = typeof action.isForEach === 'string' ? { ...visit.params, [action.isForEach]: id } : { id }
    await call(visit, action.route, { params: own, body }).catch((error: unknown) => {
      if (!(error instanceof ApiError) || error.status >= 500) throw error
      refusals.push(error)
    })
  }
  const count = ids.length - refusals.length
  const [first] = refusals
  if (!first) return leadOn(here, action.done, count)
  const why = refusalIn(visit, first)
  const text = say('changed_not_all', { count, others: refusals.length, why })
  return showRefused(screen, visit, 422, text)
}

const tickedIn = ({ form }: Visit): string[] => fieldsNamed(form, 'ticked').slice(0, maximumTicked)

/** The same for changes that differ: what one refuses is said beside its field. */
async function actOnAll(screen: Screen, visit: Visit, calls: readonly ActionCall[]): Promise<Reply> {
  const { form, here, say } = visit
  const once = field(form, 'once')
  const faults: Record<string, string> = {}
  for (const [index, { route, params, body, field: name }] of calls.entries()) {
    await call(visit, route, { params, body, once: once && `${once} ${index}` }).catch((error: unknown) => {
      if (!(error instanceof ApiError) || error.status >= 500) throw error
      faults[name] ??= refusalIn(visit, error)
    })
  }
  const [why] = Object.values(faults)
  const others = Object.keys(faults).length
  const count = calls.length - others
  const { done } = screen.actions![field(form, 'act')]!
  if (why === undefined) return leadOn(here, done, count)
  return showRefused(screen, visit, 422, say('changed_not_all', { count, others, why }), faults)
}

/** The ids of the endpoint's path: those of the page's, and those that the form names. */
function paramsOf({ params }: Visit, { route, idFrom = {} }: Action, form: Visit['form']): Record<string, string> {
  const names = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
  return Object.fromEntries(
    names
      .map((name) => [name, idFrom[name] ?? name])
      .map(([name, from]) => [name, params[from!] ?? field(form, from!)]),
  )
}

async function bodyFrom(visit: Visit, action: Action): Promise<Record<string, unknown>> {
  const { route, body = {} } = action
  const typed = route.body ? bodyOf(visit.form, inputsOf(action, visit), route.body.schema, visit.store) : {}
  return { ...typed, ...(typeof body === 'function' ? await body(visit, typed) : body) }
}

/** The same form once more, and one field that says that it is meant. */
function askFirst(screen: Screen, visit: Visit, { ask }: Action): Reply {
  const { say, form, here } = visit
  const { title, text, button, isHarmless = false } = ask!
  const named = { name: field(form, 'label'), count: tickedIn(visit).length }
  const fields = Object.entries(form).flatMap(([name, value]) => [value ?? []].flat().map((one) => hidden(name, one)))
  const content = html`<div class="card">
<p>${say(text, named)}</p>
<form method="post" action="${here}">${fields}${hidden('sure', '1')}
<div class="pair"><button class="${isHarmless ? '' : 'bad'}">${say(button)}</button>
<a class="button quiet" href="${here}">${say('keep')}</a></div></form></div>`
  return { page: frame(visit, screen, { title: say(title, named), content }) }
}
