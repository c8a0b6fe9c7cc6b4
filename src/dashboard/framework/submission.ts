// What a sent form asks for: the action that its button names, and the calls of the API that carry it out.
import { notFound } from '../../kit/values/errors.ts'
import { field, fieldsNamed } from '../../platform/pages/form.ts'
import type { ApiCall } from './call.ts'
import { bodyOf } from './formbody.ts'
import { inputsOf } from './inputs.ts'
import type { ActionCall, PageContext, Screen, ScreenAction } from './screen.ts'

const maxTicked = 100

export function requestedAction({ actions = {} }: Screen, { form }: PageContext): ScreenAction {
  const act = field(form, 'act')
  if (!Object.hasOwn(actions, act)) throw notFound('Action')
  return actions[act]!
}

export const tickedIn = ({ form }: PageContext): string[] => fieldsNamed(form, 'ticked').slice(0, maxTicked)

export async function callOf(context: PageContext, action: ScreenAction): Promise<ApiCall> {
  const { form } = context
  const body = await bodyFrom(context, action)
  return { params: paramsOf(context, action), body, version: field(form, 'version'), once: field(form, 'once') }
}

/** The calls that the action names, or one for each ticked record. Null: the action is a single call. */
export async function batchOf(context: PageContext, action: ScreenAction): Promise<BatchCall[] | null> {
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

export type BatchCall = Omit<ActionCall, 'field'> & { field?: string; once?: string }

/** The ids of the endpoint's path, from the page's path or else from the form. */
function paramsOf({ params, form }: PageContext, { route, idFrom = {} }: ScreenAction): Record<string, string> {
  const names = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
  return Object.fromEntries(
    names
      .map((name) => [name, idFrom[name] ?? name] as const)
      .map(([name, from]) => [name, params[from] ?? field(form, from)]),
  )
}

async function bodyFrom(context: PageContext, action: ScreenAction): Promise<Record<string, unknown>> {
  const { route, body = {} } = action
  const typed = route.body ? bodyOf(context.form, inputsOf(action, context), route.body.schema, context.store) : {}
  return { ...typed, ...(typeof body === 'function' ? await body(context, typed) : body) }
}
