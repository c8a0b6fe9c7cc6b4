import type { Command } from 'commander'
import { vault } from '../kit/secrets.ts'
import { readOutbox } from '../platform/mail.ts'
import { readSecretKey } from '../platform/secretkey.ts'
import type { Act } from './output.ts'

export function mailCommands(program: Command, act: Act): void {
  program.command('outbox')
    .description('Read the mail that was kept because SMTP_URL is not set, the newest first')
    .option('--limit <count>', 'how many letters at most', '20')
    .action(act(async ({ db, config }, { limit }) => {
      const key = config.SECRET_KEY ?? await readSecretKey(config.DATA_DIR)
      const letters = await readOutbox(db, vault(key), Math.min(500, Math.max(1, Number(limit) || 20)))
      const shown = letters.map(({ to, subject, text, created_at }) => `${created_at.toISOString()}  ${to}\n${subject}\n\n${text}\n`)
      return { json: { letters }, text: shown.join('\n') || 'The outbox is empty' }
    }))
}
