// Sends email by SMTP_URL. Without it, email is stored in the outbox, with a sealed body because its links grant
// access.
import type { SendMailOptions } from 'nodemailer'
import type { Database, Db } from '../../kit/database/database.ts'
import { newUuid } from '../../kit/values/ids.ts'
import type { Vault } from '../../kit/values/secrets.ts'
import { sql } from '../../kit/database/sql.ts'

export type EmailMessage = {
  to: string
  subject: string
  text: string
  html?: string
  /** The name shown beside the sender's address. */
  fromName?: string
  replyTo?: string | null
  /** Defaults to a new ID. */
  messageId?: string
  headers?: Record<string, string>
  /** The store that sends it, if any. */
  storeId?: string
  /** The customer whom the email is about, if any. */
  customerId?: string | null
}

/** `again`: a temporary failure. `refused`: a permanent failure for this recipient. */
type SendResult = { status: 'sent'; error: null } | { status: 'again' | 'refused'; error: string }

export type Mail = {
  /** Makes one attempt. Only the queue (src/tenancy/emails) calls it. */
  deliver(letter: EmailMessage): Promise<SendResult>
  /** The domain of Message-IDs: the host of the sender's address. */
  host: string
  close(): void
}

export type MailOptions = {
  smtpUrl: string | null
  /** The sender, unless SMTP_URL names one: smtp://host?from=shop@example.com */
  from: string
  db: Database
  vault: Vault
}

/** The limit for a whole delivery, also by a server that keeps sending a little. */
const deliveryTimeoutMs = 60_000
export const maxConnections = 5

const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 }

export async function openMail({ smtpUrl, from, db, vault }: MailOptions): Promise<Mail> {
  return smtpUrl ? bySmtp(smtpUrl, from) : toOutbox(db, vault, from)
}

async function bySmtp(smtpUrl: string, from: string): Promise<Mail> {
  const { createTransport } = await import('nodemailer')
  const url = new URL(smtpUrl)
  const sender = url.searchParams.get('from') ?? from
  url.searchParams.delete('from')
  // The queue in the database tries again, as its pauses outlive this process.
  const pool = { pool: true, maxConnections, maxMessages: 100, maxRequeues: 0 } as const
  const transport = createTransport({ url: url.href, ...pool, ...timeouts })
  return {
    host: parseSenderHost(sender),
    async deliver(letter) {
      const signal = AbortSignal.timeout(deliveryTimeoutMs)
      try {
        await transport.sendMail({ ...buildSmtpMessage(letter, sender), signal } as SendMailOptions)
        return { status: 'sent', error: null }
      } catch (error) {
        return classifySmtpFailure(error as SmtpError)
      }
    },
    close: () => transport.close(),
  }
}

function buildSmtpMessage(
  { fromName, replyTo, storeId: _store, customerId: _customer, ...letter }: EmailMessage,
  sender: string,
): SendMailOptions {
  return {
    from: fromName ? { name: fromName, address: parseSenderAddress(sender) } : sender,
    // The object form keeps an address from being parsed as a list of several.
    ...(replyTo ? { replyTo: { name: '', address: replyTo } } : {}),
    ...letter,
    // RFC 3834 §5: automatic responders do not answer such email.
    headers: { 'Auto-Submitted': 'auto-generated', ...letter.headers },
  }
}

/** `Shop <shop@example.com>` → `shop@example.com` */
function parseSenderAddress(sender: string): string {
  return /<([^<>]+)>/.exec(sender)?.[1] ?? sender.trim()
}

function parseSenderHost(sender: string): string {
  return parseSenderAddress(sender).split('@')[1] ?? 'localhost'
}

type SmtpError = Error & { code?: string; command?: string; responseCode?: number; response?: string }

/** RFC 5321 §4.2.1: a 5yz to the receiver's address or to the content is permanent. Any other failure may be ours. */
function classifySmtpFailure({ message, command = '', responseCode = 0, code }: SmtpError): SendResult {
  const isAddressBad = code === 'EENVELOPE' && command === 'API'
  const isForGood = responseCode >= 500 && ['RCPT TO', 'DATA'].includes(command)
  return { status: isForGood || isAddressBad ? 'refused' : 'again', error: message }
}

function toOutbox(db: Database, vault: Vault, from: string): Mail {
  return {
    host: parseSenderHost(from),
    async deliver({ to, replyTo = null, subject, text, storeId = '', customerId = null }) {
      const id = newUuid()
      await db.transaction((tx) =>
        tx.rows(sql`
        insert into outbox (id, store_id, customer_id, recipient, reply_to, subject, body, created_at)
        values (${id}, ${storeId}, ${customerId}, ${to}, ${replyTo}, ${subject},
          ${vault.seal(text, buildOutboxSealContext(id))},
          ${tx.now})`),
      )
      return { status: 'sent', error: null }
    },
    close: () => {},
  }
}

export type OutboxEmail = Pick<EmailMessage, 'to' | 'subject' | 'text'> & { created_at: Date }

/** Lists the newest first. */
export async function readOutbox(db: Db, vault: Vault, limit = 50): Promise<OutboxEmail[]> {
  const rows = await db.rows<{ id: string; recipient: string; subject: string; body: string; created_at: Date }>(sql`
    select id, recipient, subject, body, created_at
    from outbox
    order by created_at desc, id desc
    limit ${limit}`)
  return rows.map(({ id, recipient, subject, body, created_at }) => ({
    to: recipient,
    subject,
    text: vault.open(body, buildOutboxSealContext(id)),
    created_at,
  }))
}

function buildOutboxSealContext(id: string): string {
  return `outbox ${id}`
}
