// The bodies of events about redirects.
import { complete } from '../../kit/declare/composites.ts'
import { pick } from '../../kit/declare/row.ts'
import { payload } from '../../tenancy/events/payload.ts'
import { redirect } from './redirect.ts'

export const redirectBody = payload(['redirect.created', 'redirect.updated'], { redirect: complete(redirect.fields) })

export const redirectDeletedBody = payload(['redirect.deleted'], { redirect: complete(pick(redirect.fields, ['id'])) })
