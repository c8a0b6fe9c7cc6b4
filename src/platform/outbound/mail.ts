// Mail goes out by SMTP_URL. Without one it is kept in the outbox, its body sealed because it carries links that open.
import { createTransport } from 'nodemailer'
import type { Database } from '../../kit/database/database.ts'
import { newUuid } from '../../kit/values/ids.ts'
import type { Vault } from '../../kit/values/secrets.ts'
import { sql } from '../../kit/database/sql.ts'
import type { Log } from '../process/log.ts'

export type Letter = { to: string; subject: string; text: string; headers?: Record<string, string> }

export type Mail = {
  /** Comes back at once: whether and when a letter leaves is not for who asked for it to see. Failures are logged. */
  send(letter: Letter | Promise<Letter>): void
  /** Rejects when the server did not take it: for mail that is tried again. */
  deliver(letter: Letter): Promise<void>
  /** Waits for what is under way. */
  close(): Promise<void>
}

export type MailOptions = {
  smtpUrl: string | null
  /** Who writes, unless SMTP_URL says it: smtp://host?from=shop@example.com */
  from: string
  db: Database
  vault: Vault
  log: Log
}

const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 }

export function openMail({ smtpUrl, from, db, vault, log }: MailOptions): Mail {
  const deliver = smtpUrl ? bySmtp(smtpUrl, from) : toOutbox(db, vault)
  const underWay = new Set<Promise<void>>()
  return {
    deliver,
    send(letter) {
      const delivery = Promise.resolve(letter)
        .then(deliver)
        .catch((error: unknown) => log.error({ err: error }, 'mail not sent'))
        .finally(() => underWay.delete(delivery))
      underWay.add(delivery)
    },
    close: async () => {
      await Promise.all(underWay)
    },
  }
}

function bySmtp(smtpUrl: string, from: string): (letter: Letter) => Promise<void> {
  const url = new URL(smtpUrl)
  const sender = url.searchParams.get('from') ?? from
  url.searchParams.delete('from')
  const transport = createTransport({ url: url.href, ...timeouts })
  return async (letter) => {
    await transport.sendMail({ from: sender, ...letter })
  }
}

function toOutbox(db: Database, vault: Vault): (letter: Letter) => Promise<void> {
  return async ({ to, subject, text }) => {
    const id = newUuid()
    await db.transaction((tx) =>
      tx.rows(sql`
      insert into outbox (id, recipient, subject, body, created_at)
      values (${id}, ${to}, ${subject}, ${vault.seal(text, placeOf(id))}, ${tx.now})`),
    )
  }
}

export type KeptLetter = Letter & { created_at: Date }

/** The newest first. */
export async function readOutbox(db: Database, vault: Vault, limit = 50): Promise<KeptLetter[]> {
  const rows = await db.rows<{ id: string; recipient: string; subject: string; body: string; created_at: Date }>(sql`
    select id, recipient, subject, body, created_at
    from outbox
    order by created_at desc, id desc
    limit ${limit}`)
  return rows.map(({ id, recipient, subject, body, created_at }) => ({
    to: recipient,
    subject,
    text: vault.open(body, placeOf(id)),
    created_at,
  }))
}

function placeOf(id: string): string {
  return `outbox ${id}`
}
