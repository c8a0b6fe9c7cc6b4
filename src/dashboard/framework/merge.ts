// Two people at one record. A form says in one field what it showed, as short hashes under the names of the body: what
// is still so was not touched and is not sent, and what others have changed is in the way only where both did.
import { hash } from 'node:crypto'
import { ApiError, invalid } from '../../kit/values/errors.ts'
import { fault, generalFaults } from '../../kit/values/faults.ts'
import { field, type Form } from '../../platform/pages/form.ts'
import { call, readNow } from './call.ts'
import type { ScreenAction, PageContext } from './screen.ts'

type FieldDigests = ReadonlyMap<string, string>
type ApiBody = Record<string, unknown>

const digest = (value: unknown) => hash('sha256', JSON.stringify(value ?? null), 'base64url').slice(0, 10)

/** `name:3f9…`, with spaces between. */
export function digestText(shown: ApiBody): string {
  return Object.entries(shown)
    .map(([name, value]) => `${name}:${digest(value)}`)
    .join(' ')
}

/** Null where the form says nothing of it. */
export function submittedDigests(form: Form): FieldDigests | null {
  const text = field(form, 'seen')
  return text === '' ? null : new Map(text.split(' ').map((pair) => pair.split(':') as [string, string]))
}

export function isEdited(seen: FieldDigests, name: string, typed: unknown): boolean {
  return seen.get(name) !== digest(typed)
}

type MergedCall = { params: Record<string, string>; body: ApiBody; version: string; once: string }

export async function callMerged(context: PageContext, action: ScreenAction, sent: MergedCall): Promise<any> {
  const { route, toBody } = action
  const seen = toBody ? submittedDigests(context.form) : null
  if (!seen) return call(context, route, sent)
  const body = changesIn(context.form, sent.body, seen)
  try {
    return await call(context, route, { ...sent, body })
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'PRECONDITION_FAILED')) throw error
    const { data, version } = await readNow(context, route, sent.params)
    const now = toBody!(data)
    const isInTheWay = Object.keys(body).some((name) => seen.has(name) && isEdited(seen, name, now[name]))
    if (isInTheWay) throw error
    return call(context, route, { ...sent, body, version })
  }
}

/** What was emptied and may not be is refused: left out of the body, it would quietly stay. */
function changesIn(form: Form, body: ApiBody, seen: FieldDigests): ApiBody {
  const isInForm = (name: string) => Object.keys(form).some((key) => key === name || key.startsWith(`${name}.`))
  const emptied = [...seen.keys()].filter((name) => body[name] === undefined && isInForm(name))
  const missing = emptied.filter((name) => isEdited(seen, name, undefined))
  const changed = Object.entries(body).filter(([name, value]) => !seen.has(name) || isEdited(seen, name, value))
  if (missing.length > 0) throw invalid(...missing.map((name) => fault(name, generalFaults.required)))
  return Object.fromEntries(changed)
}
