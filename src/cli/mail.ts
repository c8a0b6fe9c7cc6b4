import type { Command } from 'commander'
import { invalid } from '../kit/values/errors.ts'
import { fault } from '../kit/values/faults.ts'
import { vault } from '../kit/values/secrets.ts'
import { readOutbox } from '../platform/outbound/mail.ts'
import { secretKeyFor } from '../platform/postgres/canary.ts'
import type { Actions } from './output.ts'

const most = 500

export function mailCommands(program: Command, { look }: Actions): void {
  program
    .command('outbox')
    .alias('mail')
    .description('Read the mail that was kept because SMTP_URL is not set, the newest first')
    .option('--limit <count>', 'how many letters at most', '20')
    .action(
      look(async ({ db, config, url }, { limit }) => {
        const count = Number(limit)
        if (!(Number.isInteger(count) && count >= 1 && count <= most)) {
          throw invalid(fault('limit', 'no_number_between', { least: 1, most }))
        }
        const key = await secretKeyFor(url, config)
        const letters = await readOutbox(db, vault(key), count)
        const shown = letters.map(
          ({ to, subject, text, created_at }) => `${created_at.toISOString()}  ${to}\n${subject}\n\n${text}\n`,
        )
        return { json: { letters }, text: shown.join('\n') || 'The outbox is empty' }
      }),
    )
}
