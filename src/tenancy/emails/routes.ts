import { find, page } from '../../kit/declare/page.ts'
import { routesOf } from '../../kit/declare/route.ts'
import type { Store } from '../stores/store.ts'
import { mail } from './mail.ts'
import { resendMail } from './operations.ts'

const { get, act } = routesOf<Store>('Mail')

export const routes = [
  get('/mails', {
    scope: 'read:orders',
    query: mail.query,
    returns: mail.entity,
    list: true,
    summary: 'List emails',
    run: ({ db, store, query }) => page(db, mail, store, query),
  }),
  get('/mails/{id}', {
    scope: 'read:orders',
    params: { id: mail },
    returns: mail.entity,
    summary: 'Get an email',
    run: ({ db, store, params }) => find(db, mail, store.id, params.id),
  }),
  act('/mails/{id}/resend', {
    scope: 'write:orders',
    params: { id: mail },
    returns: mail.entity,
    summary: 'Resend an email',
    run: ({ tx, store, params }) => resendMail(tx, store, params.id),
  }),
]
