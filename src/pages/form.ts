// What a browser's form says. Every page that takes a form takes it through here, so that none costs more than another.
import { parse } from 'node:querystring'
import formbody from '@fastify/formbody'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { tooManyFields } from '../kit/values/errors.ts'

export const maximumFormBytes = 64 * 1024
export const maximumFields = 200

/** A field that comes several times is a list: boxes that are ticked. */
export type Form = Record<string, string | string[] | undefined>

/** Pages below the scope take forms and nothing else: any other body is read past and counts as an empty form. */
export function takeForms(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  scope.register(formbody, { bodyLimit: maximumFormBytes, parser: readFields })
  // Mail programs press the link that unsubscribes with whatever type they like (RFC 8058 §3.1).
  const asBytes = { parseAs: 'buffer', bodyLimit: maximumFormBytes } as const
  scope.addContentTypeParser('*', asBytes, (_request, _body, done) => done(null, {}))
  scope.addHook('preValidation', async ({ body }) => {
    const count = Object.values((body ?? {}) as Form).flat().length
    if (count > maximumFields) throw tooManyFields(maximumFields)
  })
}

/** Stops after one field too many, so that its work is bounded; the hook above refuses such a form. */
function readFields(form: string): Form {
  return parse(form, '&', '=', { maxKeys: maximumFields + 1 })
}

export function formOf({ body }: FastifyRequest): Form {
  return (body ?? {}) as Form
}

/** What PostgreSQL's text can hold. */
export function isPlain(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

/** The first value of a field, without spaces around it; what PostgreSQL cannot hold counts as none. */
export function field(form: Form, name: string): string {
  return secret(form, name).trim()
}

/** The same to the letter: a password may begin with a space. */
export function secret(form: Form, name: string): string {
  const value = fieldsNamed(form, name)[0] ?? ''
  return isPlain(value) ? value : ''
}

export function fieldsNamed(form: Form, name: string): string[] {
  return [form[name] ?? []].flat()
}
