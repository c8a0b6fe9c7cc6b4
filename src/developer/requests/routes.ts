import { buildCrudRoutes } from '../../kit/declare/crud.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { request, requestDetail } from './request.ts'

const scope = 'read:requests'
const requests = buildCrudRoutes<Store>('Requests')(request, { path: '/requests', read: scope })
const details = buildCrudRoutes<Store>('Requests')(requestDetail, { path: '/requests', read: scope })

export const routes = [requests.list({ summary: 'List API requests of the last 7 days' }), details.get()]
