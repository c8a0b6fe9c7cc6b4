// Bodies of requests: JSON in UTF-8, up to a size, and nothing else.
import type { FastifyInstance } from 'fastify'
import { invalid } from '../kit/values/errors.ts'
import { fault } from '../kit/values/faults.ts'

/** Unless a table of routes has its own. */
export const maximumBodyBytes = 1024 * 1024

export function parseJson(app: FastifyInstance): void {
  const utf8 = new TextDecoder('utf-8', { fatal: true })
  app.removeAllContentTypeParsers()
  const json = /^application\/(json|[\w.-]+\+json)\s*(;|$)/i
  app.addContentTypeParser(json, { parseAs: 'buffer' }, (_request, body, done) => {
    if (body.length === 0) return done(null, {})
    try {
      done(null, JSON.parse(utf8.decode(body as Buffer)))
    } catch {
      done(invalid(fault('body', 'not_json')))
    }
  })
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
    if (body.length === 0) return done(null, {})
    done(invalid(fault('body', 'wrong_content_type')))
  })
}
