// A list as a file, however long it is, with the same admission and filters: by `Accept`, or at its path with
// the ending behind it.
import { Readable } from 'node:stream'
import Negotiator from 'negotiator'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Db } from '../kit/database/database.ts'
import type { Route } from '../kit/declare/route.ts'
import type { Caller, Tenant } from '../tenancy/dispatch/perform.ts'

/** The media type of each form that a list may have as a file. */
export const fileTypes = {
  csv: 'text/csv',
  jsonl: 'application/x-ndjson',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'shopify.csv': 'text/csv',
} as const
export type FileForm = keyof typeof fileTypes

/** The media type as it is sent. */
function getFileType(form: FileForm): string {
  return form === 'xlsx' ? fileTypes.xlsx : `${fileTypes[form]}; charset=utf-8`
}

/** The file forms that the list offers. */
export function listFileForms(route: Route): FileForm[] {
  return (Object.keys(fileTypes) as FileForm[]).filter((form) => route[form] !== undefined)
}

/** The form that the path or `Accept` requests; a client that accepts anything gets JSON. */
export function wantedForm(request: Pick<FastifyRequest, 'headers' | 'routeOptions'>, route: Route): FileForm | null {
  const forms = listFileForms(route)
  if (forms.length === 0) return null
  const { form } = request.routeOptions.config as { form?: FileForm }
  if (form) return form
  const type = new Negotiator(request).mediaType(['application/json', ...forms.map((one) => fileTypes[one])])
  return forms.find((one) => fileTypes[one] === type) ?? null
}

export function sendFile(
  reply: FastifyReply,
  form: FileForm,
  route: Route,
  {
    db,
    store,
    actor,
    scopes,
    query,
    params,
  }: Pick<Caller, 'actor' | 'scopes'> & { db: Db; store: Tenant; query: any; params: any },
): FastifyReply {
  const name = route.path.split('/').at(-1)!
  reply.header('content-disposition', `attachment; filename="${name}.${form}"`)
  reply.type(getFileType(form))
  return reply.send(Readable.from(route[form]!({ db, store, actor, scopes, query, params })))
}
