// What a form of a screen does: it is asked about first where that cannot be undone, it calls the API, and what the API
// refuses is said beside the fields. What was typed stays.
import { html } from 'hono/html'
import { ApiError, notFound } from '../../kit/values/errors.ts'
import { addressWith } from '../../platform/pages/address.ts'
import { field, fieldsNamed } from '../../platform/pages/form.ts'
import { hidden } from '../../platform/pages/parts.ts'
import { call, requireScope, rehearse } from './call.ts'
import { callMerged } from './merge.ts'
import { fieldErrors, errorMessage } from './errors.ts'
import { bodyOf } from './formbody.ts'
import { labelOf } from './form.ts'
import { frame, noticeCookie } from './frame.ts'
import { inputsOf } from './inputs.ts'
import { facts, panel } from './parts.ts'
import type { ScreenAction, ActionCall, PageResult, Screen, PageContext } from './screen.ts'
import type { MessageKey } from './messages.ts'

const maximumTicked = 100

export async function act(screen: Screen, context: PageContext): Promise<PageResult> {
  const name = field(context.form, 'act')
  const action = Object.hasOwn(screen.actions ?? {}, name) ? screen.actions![name]! : null
  if (!action) throw notFound('Action')
  requireScope(context, action.route)
  if (field(context.form, 'pick') !== '') return lookAgain(screen, context, name)
  if (action.perRecord && tickedIn(context).length === 0)
    return showRefused(screen, context, 422, context.t('tick_some'))
  if (action.confirm && field(context.form, 'sure') !== '1') return askFirst(screen, context, action)
  try {
    if (action.calls) return await actOnAll(screen, context, action.calls(context))
    if (action.hasDryRun && field(context.form, 'rehearse') !== '') return await tryIt(screen, context, action)
    return await (action.perRecord ? actOnEach(screen, context, action) : actOnce(screen, context, action))
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error
    const { status } = error
    if (status === 404) return showGone(context, action)
    const { fieldOf = (field: string) => field } = action
    const named = error.faults.map((fault) => ({ ...fault, field: fieldOf(fault.field, context.form) }))
    const text = errorMessage(context, error, action)
    return showRefused(screen, context, status, text, fieldErrors(context, named), error)
  }
}

/** Somebody has deleted the record: what was typed can still be copied. */
function showGone(context: PageContext, action: ScreenAction): PageResult {
  const { t, form } = context
  const typed = inputsOf(action, context).map((input) => [labelOf(context, input), field(form, input.name)] as const)
  const rows = typed.filter(([, text]) => text !== '')
  const kept = rows.length > 0 ? panel(t('typed_here'), facts(rows)) : ''
  const content = html`<p class="notice error" role="alert">${t('record_gone_text')}</p>${kept}`
  return { status: 404, page: frame(context, { path: '', title: 'record_gone', section: 'home' }, { content }) }
}

/** The screen with its form as it was typed, and what was refused of it. */
async function showRefused(
  screen: Screen,
  context: PageContext,
  status: number,
  text: string,
  faults: Record<string, string> = {},
  error?: ApiError,
): Promise<PageResult> {
  const rejection = { act: field(context.form, 'act'), status, text, faults, ...(error ? { error } : {}) }
  const again = { ...context, rejection }
  return { status, page: frame(again, screen, await screen.show(again)) }
}

/** Somebody searches within the form: it comes back as it was typed, with what was found. */
async function lookAgain(screen: Screen, context: PageContext, act: string): Promise<PageResult> {
  const again = { ...context, rejection: { act, status: 200, text: '', faults: {} } }
  return { page: frame(again, screen, await screen.show(again)) }
}

/** The form comes back as it was typed, with what it would make. */
async function tryIt(screen: Screen, context: PageContext, action: ScreenAction): Promise<PageResult> {
  const sent = { params: paramsOf(context, action, context.form), body: await bodyFrom(context, action) }
  const dryRunResult = await rehearse(context, action.route, sent)
  const again = {
    ...context,
    dryRunResult,
    rejection: { act: field(context.form, 'act'), status: 200, text: '', faults: {} },
  }
  return { page: frame(again, screen, await screen.show(again)) }
}

async function actOnce(screen: Screen, context: PageContext, action: ScreenAction): Promise<PageResult> {
  const { form, base, here } = context
  const once = field(form, 'once')
  const answer = await callMerged(context, action, {
    params: paramsOf(context, action, form),
    body: await bodyFrom(context, action),
    version: field(form, 'version'),
    once,
  })
  if (action.followUp) {
    const { route, ...sent } = await action.followUp(answer, context)
    await call(context, route, { ...sent, body: { ...sent.body }, once: once && `${once} then` })
  }
  const content = action.renderResult?.(context, answer)
  if (content) return { page: frame(context, screen, { content }) }
  const to = action.to ? base + action.to(answer, context) : here
  return leadOn(to, action.done)
}

/** The next page confirms the change once: a cookie carries the notice, so that no address can claim one. */
function leadOn(location: string, done: MessageKey, count?: number): PageResult {
  return {
    location: addressWith(location, {}),
    cookies: { [noticeCookie]: count === undefined ? done : `${done}.${count}` },
  }
}

/** Each is a change of its own: what one refuses does not hold up the others. */
async function actOnEach(screen: Screen, context: PageContext, action: ScreenAction): Promise<PageResult> {
  const { here, t } = context
  const body = await bodyFrom(context, action)
  const refusals: ApiError[] = []
  const ids = tickedIn(context)
  for (const id of ids) {
    const own = typeof action.perRecord === 'string' ? { ...context.params, [action.perRecord]: id } : { id }
    await call(context, action.route, { params: own, body }).catch((error: unknown) => {
      if (!(error instanceof ApiError) || error.status >= 500) throw error
      refusals.push(error)
    })
  }
  const count = ids.length - refusals.length
  const [first] = refusals
  if (!first) return leadOn(here, action.done, count)
  const why = errorMessage(context, first)
  const text = t('changed_not_all', { count, others: refusals.length, why })
  return showRefused(screen, context, 422, text)
}

const tickedIn = ({ form }: PageContext): string[] => fieldsNamed(form, 'ticked').slice(0, maximumTicked)

/** The same for changes that differ: what one refuses is said beside its field. */
async function actOnAll(screen: Screen, context: PageContext, calls: readonly ActionCall[]): Promise<PageResult> {
  const { form, here, t } = context
  const once = field(form, 'once')
  const faults: Record<string, string> = {}
  for (const [index, { route, params, body, field: name }] of calls.entries()) {
    await call(context, route, { params, body, once: once && `${once} ${index}` }).catch((error: unknown) => {
      if (!(error instanceof ApiError) || error.status >= 500) throw error
      faults[name] ??= errorMessage(context, error)
    })
  }
  const [why] = Object.values(faults)
  const others = Object.keys(faults).length
  const count = calls.length - others
  const { done } = screen.actions![field(form, 'act')]!
  if (why === undefined) return leadOn(here, done, count)
  return showRefused(screen, context, 422, t('changed_not_all', { count, others, why }), faults)
}

/** The ids of the endpoint's path: those of the page's, and those that the form names. */
function paramsOf(
  { params }: PageContext,
  { route, idFrom = {} }: ScreenAction,
  form: PageContext['form'],
): Record<string, string> {
  const names = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
  return Object.fromEntries(
    names
      .map((name) => [name, idFrom[name] ?? name])
      .map(([name, from]) => [name, params[from!] ?? field(form, from!)]),
  )
}

async function bodyFrom(context: PageContext, action: ScreenAction): Promise<Record<string, unknown>> {
  const { route, body = {} } = action
  const typed = route.body ? bodyOf(context.form, inputsOf(action, context), route.body.schema, context.store) : {}
  return { ...typed, ...(typeof body === 'function' ? await body(context, typed) : body) }
}

/** The same form once more, and one field that says that it is meant. */
function askFirst(screen: Screen, context: PageContext, { confirm }: ScreenAction): PageResult {
  const { t, form, here } = context
  const { title, text, button, isHarmless = false } = confirm!
  const named = { name: field(form, 'label'), count: tickedIn(context).length }
  const fields = Object.entries(form).flatMap(([name, value]) => [value ?? []].flat().map((one) => hidden(name, one)))
  const content = html`<div class="card">
<p>${t(text, named)}</p>
<form method="post" action="${here}">${fields}${hidden('sure', '1')}
<div class="pair"><button class="${isHarmless ? '' : 'bad'}">${t(button)}</button>
<a class="button quiet" href="${here}">${t('keep')}</a></div></form></div>`
  return { page: frame(context, screen, { title: t(title, named), content }) }
}
