import { json, buildRouteVerbs } from '../../kit/declare/route.ts'
import { invalid } from '../../kit/values/errors.ts'
import { fault } from '../../kit/values/faults.ts'
import { guardWebhook } from '../../developer/webhooks/access.ts'
import { webhook } from '../../developer/webhooks/webhook.ts'
import { dispatchFaults } from '../../tenancy/dispatch/errors.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { examination } from './examination.ts'
import { examineWebhook, type ExaminationDeps } from './operations.ts'

const { act } = buildRouteVerbs<Store, ExaminationDeps>('Webhooks')

const examine = act('/webhooks/{id}/examine', {
  scope: 'write:webhooks',
  params: { id: webhook },
  returns: examination,
  summary: 'Examine a webhook receiver (at most 6 times per minute)',
  prepare: ({ db, store, params, isDryRun, ...deps }) => {
    if (isDryRun) throw invalid(fault('Prefer', dispatchFaults.receiver_not_asked))
    return examineWebhook(db, store, params.id, deps)
  },
  run: ({ prepared }) => json(prepared),
})

export const routes = [guardWebhook(examine)]
