// Reads the query of a report: `?by=country&period=days_30&sort=orders`, or `&from=2026-11-01&to=2026-11-21`.
import { resolveReportSpan } from '../../../money/reports/answers.ts'
import { isReportDay, isPeriod, type Period, type Span } from '../../../money/reports/period.ts'
import { reportSums, type ReportSum } from '../../../money/reports/parts.ts'
import { reports, type ReportName } from '../../../money/reports/report.ts'
import type { PageContext } from '../../framework/screen.ts'

export const screenReports = [...reports, 'tax'] as const

export type ReportView = {
  by: ReportName | 'tax'
  /** Null for custom days. */
  period: Period | null
  span: Span
  sort: ReportSum
  order: 'asc' | 'desc'
  page: number
}

export function reportView({ query, db, store }: PageContext): ReportView {
  const by = screenReports.find((one) => one === query.by) ?? 'product'
  const namedPeriod = isPeriod(query.period ?? '') ? (query.period as Period) : null
  const [from, to] = namedPeriod ? [] : [dayIn(query.from), dayIn(query.to)]
  const period = namedPeriod ?? (from || to ? null : 'days_30')
  const span = resolveReportSpan({ ...(period ? { period } : {}), from, to }, db.clock.now(), store.timezone)
  const sort = reportSums.find((one) => one === query.sort) ?? 'sales'
  const page = Math.min(Math.max(Math.trunc(Number(query.page)) || 1, 1), 1000)
  return { by, period, span, sort, order: query.order === 'asc' ? 'asc' : 'desc', page }
}

const dayIn = (text = '') => (isReportDay(text) ? text : undefined)
