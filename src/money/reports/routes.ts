import { json, buildRouteVerbs } from '../../kit/declare/route.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { resolveReportSpan, salesQuery, salesReport, taxQuery, taxReport } from './answers.ts'
import { buildSalesReport } from './report.ts'
import { listTaxRows, taxTotals } from './taxes.ts'

const { get } = buildRouteVerbs<Store>('Reports')

export const routes = [
  get('/reports/sales', {
    scope: 'read:orders',
    readsReplica: true,
    query: salesQuery,
    returns: salesReport.entity,
    summary: 'Report sales by product, category, discount or place',
    async run({ db, store, query }) {
      const { by, sort, order, page, per_page } = query
      const { from, to, earlier } = resolveReportSpan(query, db.clock.now(), store.timezone)
      const range = { days: { from, to }, earlier, limit: per_page, offset: (page - 1) * per_page }
      const report = await buildSalesReport(db, store, { by, sort, order, ...range })
      return json({ by, from, to, previous_from: earlier.from, previous_to: earlier.to, ...report })
    },
  }),
  get('/reports/taxes', {
    scope: 'read:orders',
    readsReplica: true,
    query: taxQuery,
    returns: taxReport.entity,
    summary: 'Report taxes by place and rate',
    async run({ db, store, query }) {
      const { from, to } = resolveReportSpan(query, db.clock.now(), store.timezone)
      const rows = await listTaxRows(db, store, { from, to })
      return json({ from, to, rows, totals: taxTotals(rows) })
    },
  }),
]
