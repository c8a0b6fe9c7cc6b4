// The page of a webhook with the button that examines its receiver. It takes the place of the core's.
import { html } from 'hono/html'
import { endpoint } from '../../dashboard/framework/api.ts'
import type { Translate } from '../../dashboard/framework/messages.ts'
import { record } from '../../dashboard/framework/record.ts'
import type { Html, PageContext, ScreenAction } from '../../dashboard/framework/screen.ts'
import { failureReason } from '../../dashboard/screens/webhooks/reasons.ts'
import { webhookProps } from '../../dashboard/screens/webhooks/webhooks.ts'
import type { Examination } from './examine.ts'
import type { FindingCode, FindingValues } from './findings.ts'

const examine: ScreenAction = {
  route: endpoint('POST /webhooks/{id}/examine'),
  done: 'webhook_examined',
  renderResult: examinationResult,
}

const { actions, main = [], ...props } = webhookProps
const place = main.findIndex((part) => 'title' in part && part.title === 'webhook_test') + 1

// prettier-ignore
export const examinationScreen = record({
  ...props,
  actions: { ...actions, examine },
  main: main.toSpliced(place, 0, { title: 'webhook_examine', hint: 'webhook_examine_text',
    buttons: [{ act: 'examine', label: ({ url }) => url, text: 'webhook_examine' }] }),
})

function examinationResult({ t, here }: PageContext, { verdict, findings, probes }: Examination): Html {
  const passedCount = String(probes.filter((probe) => probe.passed).length)
  const error = probes[0]?.error ?? null
  const rows = findings.map((each) => html`<li><p>${findingText(t, each, error)}</p></li>`)
  return html`<section class="panel"><h2>${t(`examined_${verdict}`)}</h2>
<p class="hint">${t('examined_count', { passed: passedCount, count: String(probes.length) })}</p>
${rows.length === 0 ? '' : html`<ul class="rows">${rows}</ul>`}
<p><a class="button" href="${here}">${t('back')}</a></p></section>`
}

type NamedFinding = { code: FindingCode; values: FindingValues }

export function findingText(t: Translate, { code, values }: NamedFinding, error: string | null): string {
  const reason = error && failureReason(t, { status_code: null, error, message: String(values.reason) })
  const texts = Object.entries(values).map(([name, value]) => [name, String(value)])
  return t(`finding_${code}`, { ...Object.fromEntries(texts), ...(reason ? { reason } : {}) })
}
