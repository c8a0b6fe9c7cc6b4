import { buildCrudRoutes } from '../../kit/declare/crud.ts'
import { buildRouteVerbs } from '../../kit/declare/route.ts'
import type { Store } from '../stores/store.ts'
import { mail } from './mail.ts'
import { resendMail } from './operations.ts'

const { act } = buildRouteVerbs<Store>('Mail')
const mails = buildCrudRoutes<Store>('Mail')(mail, { path: '/mails', read: 'read:orders', plural: 'emails' })

export const routes = [
  mails.list(),
  mails.get({ summary: 'Get an email' }),
  act('/mails/{id}/resend', {
    scope: 'write:orders',
    params: { id: mail },
    returns: mail.entity,
    summary: 'Resend an email',
    run: ({ tx, store, params }) => resendMail(tx, store, params.id),
  }),
]
