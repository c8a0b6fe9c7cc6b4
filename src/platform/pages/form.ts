// Parses the forms of browsers. Every page uses it, so that no form costs more than another.
import { parse } from 'node:querystring'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { tooLarge, tooManyFields } from '../../kit/values/errors.ts'

export const maxFormBytes = 64 * 1024
export const maxFields = 200

/** The limits of a page's form, if it needs more than others. */
export type FormLimits = { fields: number; bytes: number }

/** The options for forms in the configuration of a route. */
export type FormOptions = { limits?: FormLimits | undefined; takesFile?: boolean }

/** A field that occurs several times is a list, such as ticked boxes. */
export type Form = Record<string, string | string[] | undefined>

/** Pages of the scope accept forms and nothing else: any other body is discarded and counts as an empty form. */
export function acceptForms(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  const asText = { parseAs: 'string', bodyLimit: maxFormBytes } as const
  scope.addContentTypeParser('application/x-www-form-urlencoded', asText, (request, body, done) => {
    // Parsing stops after one field too many, which bounds its work; the hook below rejects such a form.
    done(null, parse(String(body), '&', '=', { maxKeys: getMaxFields(request) + 1 }))
  })
  scope.addContentTypeParser('multipart/form-data', (request, _payload, done) => {
    // A form with a file is read only once its sender is known (upload.ts); an unread one is discarded.
    if (getFormOptions(request).takesFile || Number(request.headers['content-length'] ?? 0) <= maxFormBytes)
      done(null, {})
    else done(tooLarge(maxFormBytes))
  })
  // Mail programs send the unsubscribe request with any content type (RFC 8058 §3.1).
  const asBytes = { parseAs: 'buffer', bodyLimit: maxFormBytes } as const
  scope.addContentTypeParser('*', asBytes, (_request, _body, done) => done(null, {}))
  scope.addHook('preValidation', async (request) => requireFewFields(readPageForm(request), getMaxFields(request)))
}

function getFormOptions({ routeOptions }: FastifyRequest): FormOptions {
  return routeOptions.config as FormOptions
}

export function getMaxFields(request: FastifyRequest): number {
  return getFormOptions(request).limits?.fields ?? maxFields
}

function requireFewFields(form: Form, max: number): void {
  if (Object.values(form).flat().length > max) throw tooManyFields(max)
}

export function readPageForm({ body }: FastifyRequest): Form {
  return (body ?? {}) as Form
}

/** True if PostgreSQL's text can hold it. */
export function isPlain(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

/** The first value of a field, trimmed; empty if PostgreSQL cannot hold it. */
export function field(form: Form, name: string): string {
  return secret(form, name).trim()
}

/** The untrimmed value: a password may begin with a space. */
export function secret(form: Form, name: string): string {
  const value = fieldsNamed(form, name)[0] ?? ''
  return isPlain(value) ? value : ''
}

export function fieldsNamed(form: Form, name: string): string[] {
  return [form[name] ?? []].flat()
}
