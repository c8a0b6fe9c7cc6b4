// Handles a submitted form: reads it, asks for confirmation, calls the API (merging with changes to the
// same record), and responds. Rejections appear beside the fields, and the input stays.
import { html } from 'hono/html'
import { ApiError, notFound } from '../../kit/values/errors.ts'
import { addressWith } from '../../platform/pages/address.ts'
import { field, fieldsNamed } from '../../platform/pages/form.ts'
import { hiddenFields } from '../../platform/pages/parts.ts'
import { call, rehearse, requireScope, type ApiCall } from './call.ts'
import { errorMessage, fieldErrors } from './errors.ts'
import { formatInputLabel } from './form.ts'
import { frame, noticeCookie } from './frame.ts'
import { resolveInputs } from './inputs.ts'
import { callMerged } from './merge.ts'
import { facts, panel } from './parts.ts'
import type { Confirmation, PageContext, PageResult, Screen, ScreenAction, ActionCall } from './screen.ts'
import { inputFormatOf, readFormBody } from './formbody.ts'

export async function submit(screen: Screen, context: PageContext): Promise<PageResult> {
  const action = requestedAction(screen, context)
  requireScope(context, action.route)
  const { perRecord, isOfSelection, hasDryRun } = action
  const isSet = (name: string) => field(context.form, name) !== ''
  if (isSet('pick')) return redraw(screen, context)
  if ((perRecord || (isOfSelection && !isSet('all'))) && tickedIn(context).length === 0) {
    return redraw(screen, context, { status: 422, text: context.t('tick_some') })
  }
  const confirm = typeof action.confirm === 'function' ? action.confirm(context) : action.confirm
  if (confirm && !isSet('sure')) return confirmationPage(screen, context, confirm)
  try {
    if (hasDryRun && isSet('rehearse')) return await tryOut(screen, context, action)
    const batch = await buildBatchCalls(context, action)
    return await (batch ? callAll(screen, context, action, batch) : callOnce(screen, context, action))
  } catch (error) {
    return await showRejection(screen, context, action, error)
  }
}

async function callOnce(screen: Screen, context: PageContext, action: ScreenAction): Promise<PageResult> {
  const { base, here } = context
  const request = await buildApiCall(context, action)
  const result = await callMerged(context, action, request)
  if (action.followUp) {
    const { route, ...next } = await action.followUp(result, context)
    await call(context, route, { ...next, body: { ...next.body }, once: request.once && `${request.once} then` })
  }
  const content = action.renderResult?.(context, result)
  if (content) return { page: frame(context, screen, { content }) }
  return redirect(action.to ? base + action.to(result, context) : here, action.done, action.countOf?.(result))
}

/** Each call is its own change: a rejected one does not stop the others. */
async function callAll(
  screen: Screen,
  context: PageContext,
  { done }: ScreenAction,
  batch: readonly BatchCall[],
): Promise<PageResult> {
  const reasons: string[] = []
  const faults: Record<string, string> = {}
  for (const { route, field: name, ...request } of batch) {
    try {
      await call(context, route, request)
    } catch (error) {
      const reason = errorMessage(context, requireRejection(error))
      reasons.push(reason)
      if (name) faults[name] = reason
    }
  }
  const count = batch.length - reasons.length
  const [why] = reasons
  if (why === undefined) return redirect(context.here, done, count)
  const text = context.t('changed_not_all', { count, others: reasons.length, why })
  return redraw(screen, context, { status: 422, text, faults })
}

/** Shows the form with its input and the result of a dry run. */
async function tryOut(screen: Screen, context: PageContext, action: ScreenAction): Promise<PageResult> {
  const { params, body } = await buildApiCall(context, action)
  const dryRunResult = await rehearse(context, action.route, { params, body })
  return redraw(screen, { ...context, dryRunResult })
}

/** The next page confirms the change once. The notice is in a cookie, so that no URL can forge one. */
function redirect(location: string, message: string, count?: number): PageResult {
  return {
    location: addressWith(location, {}),
    cookies: { [noticeCookie]: count === undefined ? message : `${message}.${count}` },
  }
}

/** Shows the same form with one more field that confirms it. */
function confirmationPage(
  screen: Screen,
  context: PageContext,
  { title, text, button, isHarmless = false }: Confirmation,
): PageResult {
  const { t, form, here } = context
  const values = { name: field(form, 'label'), amount: field(form, 'sum'), count: tickedIn(context).length }
  const content = html`<div class="card" data-ask>
<p>${t(text, values)}</p>
<form method="post" action="${here}">${hiddenFields({ ...form, sure: '1' })}
<div class="pair"><button class="${isHarmless ? '' : 'bad'}">${t(button, values)}</button>
<a class="button quiet" href="${here}" data-close>${t('keep')}</a></div></form></div>`
  return { page: frame(context, screen, { title: t(title, values), content }) }
}

/** Rethrows errors that are not the person's. */
async function showRejection(
  screen: Screen,
  context: PageContext,
  action: ScreenAction,
  thrownError: unknown,
): Promise<PageResult> {
  const error = requireRejection(thrownError)
  const { status } = error
  if (status === 404) return recordGonePage(context, action)
  const { fieldOf = (name: string) => name } = action
  const faults = error.faults.map((fault) => ({ ...fault, field: fieldOf(fault.field, context.form) }))
  const text = errorMessage(context, error, action)
  return redraw(screen, context, { status, text, faults: fieldErrors(context, faults, action), error })
}

function requireRejection(error: unknown): ApiError {
  if (error instanceof ApiError && error.status < 500) return error
  throw error
}

/** The record was deleted: the input can still be copied. */
function recordGonePage(context: PageContext, action: ScreenAction): PageResult {
  const { t, form } = context
  const pairs = resolveInputs(action, context).map(
    (input) => [formatInputLabel(context, input), field(form, input.name)] as const,
  )
  const rows = pairs.filter(([, text]) => text !== '')
  const summary = rows.length > 0 ? panel(t('typed_here'), facts(rows)) : ''
  const content = html`<p class="notice error" role="alert">${t('record_gone_text')}</p>${summary}`
  return { status: 404, page: frame(context, { path: '', title: 'record_gone', section: 'home' }, { content }) }
}

/** Shows the screen with the form's input and errors. */
async function redraw(
  screen: Screen,
  context: PageContext,
  rejection: Partial<NonNullable<PageContext['rejection']>> = {},
): Promise<PageResult> {
  const complete = { act: field(context.form, 'act'), status: 200, text: '', faults: {}, ...rejection }
  const again: PageContext = { ...context, rejection: complete }
  return { status: complete.status, page: frame(again, screen, await screen.show(again)) }
}

// The action that a form's button names, and the API calls that carry it out.

const maxTicked = 100

function requestedAction({ actions = {} }: Screen, { form }: PageContext): ScreenAction {
  const act = field(form, 'act')
  if (!Object.hasOwn(actions, act)) throw notFound('Action')
  return actions[act]!
}

const tickedIn = ({ form }: PageContext): string[] => fieldsNamed(form, 'ticked').slice(0, maxTicked)

async function buildApiCall(context: PageContext, action: ScreenAction): Promise<ApiCall> {
  const { form } = context
  const body = await bodyFrom(context, action)
  return {
    params: readPathParameters(context, action),
    body,
    version: field(form, 'version'),
    once: field(form, 'once'),
  }
}

/** The action's own calls, or one for each selected record. Null: the action is a single call. */
async function buildBatchCalls(context: PageContext, action: ScreenAction): Promise<BatchCall[] | null> {
  const { route, perRecord, calls } = action
  const { form, params } = context
  const once = field(form, 'once')
  if (calls) return (await calls(context)).map((call, index) => ({ ...call, once: once && `${once} ${index}` }))
  if (!perRecord) return null
  const body = await bodyFrom(context, action)
  return tickedIn(context).map((id) => {
    return { route, params: typeof perRecord === 'string' ? { ...params, [perRecord]: id } : { id }, body }
  })
}

type BatchCall = Omit<ActionCall, 'field'> & { field?: string; once?: string }

/** The IDs of the endpoint's path, from the page's path or the form. */
function readPathParameters(
  { params, form }: PageContext,
  { route, idFrom = {} }: ScreenAction,
): Record<string, string> {
  const names = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
  return Object.fromEntries(
    names
      .map((name) => [name, idFrom[name] ?? name] as const)
      .map(([name, from]) => [name, params[from] ?? field(form, from)]),
  )
}

async function bodyFrom(context: PageContext, action: ScreenAction): Promise<Record<string, unknown>> {
  const { route, body = {} } = action
  const typedBody = route.body
    ? readFormBody(context.form, resolveInputs(action, context), route.body.schema, inputFormatOf(context))
    : {}
  return { ...typedBody, ...(typeof body === 'function' ? await body(context, typedBody) : body) }
}
