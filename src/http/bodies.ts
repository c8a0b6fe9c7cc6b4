// Bodies of requests: JSON in UTF-8, up to a size; and forms with a file, where a route takes one.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { invalid, tooLarge, tooManyFields, unsupportedCoding } from '../kit/values/errors.ts'
import { fault } from '../kit/values/faults.ts'
import { baseName, readBoundary, NotForm, readFormParts } from '../kit/values/multipart.ts'
import { maxFields } from '../platform/pages/form.ts'
import { requestFaults } from './errors.ts'

/** Default for tables of routes without their own limit. */
export const maxBodyBytes = 1024 * 1024

/** Allowance for the other fields of a form with a file. */
export const formBytes = 64 * 1024

declare module 'fastify' {
  interface FastifyRequest {
    /** The bytes of a JSON body. */
    bytes: Buffer | null
  }
}

/** The name of the file in the form; null if the route takes no file. */
export type FileRouteConfig = { takesFile: string | null }

export function parseJson(app: FastifyInstance): void {
  const utf8 = new TextDecoder('utf-8', { fatal: true })
  app.removeAllContentTypeParsers()
  app.addHook('preParsing', async (request) => refuseEncoding(request))
  const json = /^application\/(json|[\w.-]+\+json)\s*(;|$)/i
  app.addContentTypeParser(json, { parseAs: 'buffer' }, (request, body, done) => {
    if (body.length === 0) return done(null, {})
    request.bytes = body as Buffer
    noteLength(request, body as Buffer)
    if (readFileField(request) && body.length > maxBodyBytes) return done(tooLarge(maxBodyBytes))
    try {
      done(null, JSON.parse(utf8.decode(body as Buffer)))
    } catch {
      done(invalid(fault('body', requestFaults.not_json)))
    }
  })
  app.addContentTypeParser(
    'multipart/form-data',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) => {
      if (body.length === 0) return {}
      const field = readFileField(request)
      if (!field) throw invalid(fault('body', requestFaults.wrong_content_type))
      noteLength(request, body)
      return readForm(request, body, field)
    },
  )
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
    if (body.length === 0) return done(null, {})
    done(invalid(fault('body', requestFaults.wrong_content_type)))
  })
}

/** RFC 9110 §15.5.16: names the unsupported coding, and the supported ones. */
function refuseEncoding({ headers, is404 }: FastifyRequest): void {
  const coding = headers['content-encoding']
  if (is404 || coding === undefined || coding === '' || coding.toLowerCase() === 'identity') return
  throw unsupportedCoding()
}

function noteLength(request: FastifyRequest, { length }: Buffer): void {
  if (request.headers['content-length'] === undefined) request.undeclaredBytes = length
}

function readFileField({ routeOptions }: FastifyRequest): string | null {
  return (routeOptions.config as Partial<FileRouteConfig>).takesFile ?? null
}

/** The text fields of a form are its body. */
async function readForm(request: FastifyRequest, body: Buffer, field: string): Promise<Record<string, string>> {
  const boundary = readBoundary(request.headers['content-type']!)
  if (!boundary) throw invalid(fault('body', requestFaults.not_form))
  const texts: Record<string, string> = Object.create(null)
  let [parts, bytes] = [0, 0]
  try {
    for await (const { name, filename, content } of readFormParts(body, boundary)) {
      if (++parts > maxFields) throw tooManyFields(maxFields)
      if (filename !== null) {
        if (name === field) request.file = { bytes: content, name: baseName(filename) }
        continue
      }
      if ((bytes += content.length) > formBytes) throw tooLarge(formBytes)
      texts[name] = content.toString('utf8')
    }
  } catch (error) {
    throw error instanceof NotForm ? invalid(fault('body', requestFaults.not_form)) : error
  }
  return { ...texts }
}
