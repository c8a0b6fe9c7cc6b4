import type { Command } from 'commander'
import { vault } from '../../kit/values/secrets.ts'
import { readOutbox } from '../../platform/outbound/mail.ts'
import { secretKeyFor } from '../../platform/postgres/canary.ts'
import type { CommandActions } from './output.ts'
import { limitIn } from './options.ts'

const maxLetters = 500

export function mailCommands(program: Command, { read }: CommandActions): void {
  program
    .command('outbox')
    .alias('mail')
    .description('Show emails kept because SMTP_URL is not set, newest first')
    .option('--limit <count>', 'maximum number of emails', '20')
    .action(
      read(async ({ db, config, url }, { limit }) => {
        const count = limitIn(limit!, maxLetters)
        const key = await secretKeyFor(url, config)
        const letters = await readOutbox(db, vault(key), count)
        const lines = letters.map(
          ({ to, subject, text, created_at }) => `${created_at.toISOString()}  ${to}\n${subject}\n\n${text}\n`,
        )
        return { json: { letters }, text: lines.join('\n') || 'The outbox is empty' }
      }),
    )
}
