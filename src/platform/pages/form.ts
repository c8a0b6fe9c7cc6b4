// What a browser's form says. Every page that takes a form takes it through here, so that none costs more than another.
import { parse } from 'node:querystring'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { tooLarge, tooManyFields } from '../../kit/values/errors.ts'

export const maxFormBytes = 64 * 1024
export const maxFields = 200

/** Of the one form of a page that needs more. */
export type FormLimits = { fields: number; bytes: number }

/** What the configuration of a route says of its forms. */
export type FormOptions = { limits?: FormLimits | undefined; takesFile?: boolean }

/** A field that comes several times is a list: boxes that are ticked. */
export type Form = Record<string, string | string[] | undefined>

/** Pages below the scope take forms and nothing else: any other body is read past and counts as an empty form. */
export function acceptForms(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  const asText = { parseAs: 'string', bodyLimit: maxFormBytes } as const
  scope.addContentTypeParser('application/x-www-form-urlencoded', asText, (request, body, done) => {
    // It stops after one field too many, so that its work is bounded; the hook below refuses such a form.
    done(null, parse(String(body), '&', '=', { maxKeys: maxFieldsOf(request) + 1 }))
  })
  scope.addContentTypeParser('multipart/form-data', (request, _payload, done) => {
    // A form with a file is read once it is known who sends it (upload.ts); what nobody reads is not kept.
    if (formOptionsOf(request).takesFile || Number(request.headers['content-length'] ?? 0) <= maxFormBytes)
      done(null, {})
    else done(tooLarge(maxFormBytes))
  })
  // Mail programs press the link that unsubscribes with whatever type they like (RFC 8058 §3.1).
  const asBytes = { parseAs: 'buffer', bodyLimit: maxFormBytes } as const
  scope.addContentTypeParser('*', asBytes, (_request, _body, done) => done(null, {}))
  scope.addHook('preValidation', async (request) => requireFewFields(formOf(request), maxFieldsOf(request)))
}

function formOptionsOf({ routeOptions }: FastifyRequest): FormOptions {
  return routeOptions.config as FormOptions
}

export function maxFieldsOf(request: FastifyRequest): number {
  return formOptionsOf(request).limits?.fields ?? maxFields
}

export function requireFewFields(form: Form, max: number): void {
  if (Object.values(form).flat().length > max) throw tooManyFields(max)
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
