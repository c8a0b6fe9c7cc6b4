// Merges the edits of two people to one record. The form carries short hashes of what it showed, by the names of the
// body. A field that still has its hash was not edited and is not sent; only a field that both edited is a conflict.
import { hash } from 'node:crypto'
import { ApiError, invalid } from '../../kit/values/errors.ts'
import { fault, generalFaults } from '../../kit/values/faults.ts'
import { field, type Form } from '../../platform/pages/form.ts'
import { call, readNow, type ApiCall } from './call.ts'
import type { ScreenAction, PageContext } from './screen.ts'

type FieldDigests = ReadonlyMap<string, string>
type ApiBody = Record<string, unknown>

const digest = (value: unknown) => hash('sha256', JSON.stringify(value ?? null), 'base64url').slice(0, 10)

/** `name:3f9…`, with spaces between. */
export function digestText(body: ApiBody): string {
  return Object.entries(body)
    .map(([name, value]) => `${name}:${digest(value)}`)
    .join(' ')
}

/** Null if the form carries no hashes. */
export function submittedDigests(form: Form): FieldDigests | null {
  const text = field(form, 'seen')
  return text === '' ? null : new Map(text.split(' ').map((pair) => pair.split(':') as [string, string]))
}

export function isEdited(digests: FieldDigests, name: string, input: unknown): boolean {
  return digests.get(name) !== digest(input)
}

/** Retries once after a conflict, if nobody else edited the same fields. */
export async function callMerged(context: PageContext, action: ScreenAction, request: ApiCall): Promise<any> {
  const { route, toBody } = action
  const digests = toBody ? submittedDigests(context.form) : null
  if (!digests) return call(context, route, request)
  const body = changesIn(context.form, request.body, digests)
  try {
    return await call(context, route, { ...request, body })
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'PRECONDITION_FAILED')) throw error
    const { data, version } = await readNow(context, route, request.params)
    const current = toBody!(data)
    const isConflict = Object.keys(body).some((name) => digests.has(name) && isEdited(digests, name, current[name]))
    if (isConflict) throw error
    return call(context, route, { ...request, body, version })
  }
}

/** Rejects required fields that were emptied: left out of the body, they would quietly stay. */
function changesIn(form: Form, body: ApiBody, digests: FieldDigests): ApiBody {
  const isInForm = (name: string) => Object.keys(form).some((key) => key === name || key.startsWith(`${name}.`))
  const emptiedNames = [...digests.keys()].filter((name) => body[name] === undefined && isInForm(name))
  const missing = emptiedNames.filter((name) => isEdited(digests, name, undefined))
  const changes = Object.entries(body).filter(([name, value]) => !digests.has(name) || isEdited(digests, name, value))
  if (missing.length > 0) throw invalid(...missing.map((name) => fault(name, generalFaults.required)))
  return Object.fromEntries(changes)
}
