// stoa explain: the outcome of a request, for an operator who has its id.
import type { Command } from 'commander'
import { notFound } from '../../kit/values/errors.ts'
import type { ExtensionActions } from '../../tenancy/extensions/extension.ts'
import type { Explanation } from './explain.ts'

export function explainCommand(program: Command, { read }: ExtensionActions<unknown>): void {
  program
    .command('explain <id>')
    .description('Explain a request by its ID, or by the ID of an event, delivery, audit entry or email it caused')
    .option('--store <id>', 'ID of the store, if several stores have a request with this ID')
    .action(
      read(async ({ db }, { store }, id) => {
        // Imported here because the resources take longer to load than most commands take to run.
        const [{ requestBehind, explain, newestWith }, { request }] = await Promise.all([
          import('./explain.ts'),
          import('../../developer/requests/request.ts'),
        ])
        const target = (await requestBehind(db, store, id!)) ?? (await newestWith(db, store, id!))
        if (!target) throw notFound(request.noun)
        const { store_id, uuid } = target
        const explanation = await explain(db, store_id, uuid)
        return { json: { store_id, ...explanation }, text: formatExplanation(store_id, explanation) }
      }),
    )
}

function formatExplanation(
  storeId: string,
  { request, checks, database, changes, events, mails, jobs }: Explanation,
): string {
  const { id, method, path, status, duration_ms, is_rehearsal, created_at, credential } = request
  const refusal = checks.find(({ outcome }) => outcome === 'refused')
  return [
    `${id}  ${created_at.toISOString()}  ${storeId}`,
    `${method} ${path} → ${status} in ${duration_ms} ms, by ${credential ?? 'a shopper'}`,
    ...(is_rehearsal ? ['Dry run'] : []),
    refusal ? `Rejected by the check ${refusal.check}: ${refusal.reason}` : 'All checks passed',
    ...(database
      ? [
          `${database.count} statements in ${database.round_trips} round trips, ${database.duration_ms} ms:`,
          `  ${database.statements.join('; ')}`,
        ]
      : []),
    ...changes.map(({ resource, id, change, fields }) => `${change} ${resource} ${id}: ${fields.join(', ')}`),
    ...events.flatMap(({ event, event_id, deliveries }) => [
      `Event ${event} for ${event_id}`,
      ...deliveries.flatMap(({ url, status, attempts }) => [
        `  ${status}: ${url}`,
        ...attempts.map(
          (each) =>
            `    ${each.attempt}. ${each.at.toISOString()} ${each.status_code ?? each.error} in ${each.duration_ms} ms`,
        ),
      ]),
    ]),
    ...mails.map(({ id, kind, status, error }) => `Email ${kind} ${status} (${id})${error ? `: ${error}` : ''}`),
    ...jobs.flatMap(({ job, created_at, changes }) => [
      `Job ${job} ${created_at.toISOString()}`,
      ...changes.map(({ resource, id, change, fields }) => `  ${change} ${resource} ${id}: ${fields.join(', ')}`),
    ]),
  ].join('\n')
}
