// Mail goes out by SMTP_URL. Without one it is kept in the outbox, its body sealed because it carries links that open.
import { createTransport, type SendMailOptions } from 'nodemailer'
import type { Database, Db } from '../../kit/database/database.ts'
import { newUuid } from '../../kit/values/ids.ts'
import type { Vault } from '../../kit/values/secrets.ts'
import { sql } from '../../kit/database/sql.ts'

export type EmailMessage = {
  to: string
  subject: string
  text: string
  html?: string
  /** The name beside the sender's address. */
  fromName?: string
  replyTo?: string | null
  /** Without, a new one is made. */
  messageId?: string
  headers?: Record<string, string>
  /** Of which store it is, if of any. */
  storeId?: string
  /** Of which of its customers it tells, if of any. */
  customerId?: string | null
}

/** `again`: it may be taken later. `refused`: by its receiver, for good. */
type SendResult = { status: 'sent'; error: null } | { status: 'again' | 'refused'; error: string }

export type Mail = {
  /** One attempt. The queue (src/tenancy/emails) calls it, and nothing else does. */
  deliver(letter: EmailMessage): Promise<SendResult>
  /** Where Message-IDs are at home: the host of the sender's address. */
  host: string
  close(): void
}

export type MailOptions = {
  smtpUrl: string | null
  /** Who writes, unless SMTP_URL says it: smtp://host?from=shop@example.com */
  from: string
  db: Database
  vault: Vault
}

/** A server that says a word now and then is not waited for longer either. */
const deliveryTimeoutMs = 60_000
export const maxConnections = 5

const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 }

export function openMail({ smtpUrl, from, db, vault }: MailOptions): Mail {
  return smtpUrl ? bySmtp(smtpUrl, from) : toOutbox(db, vault, from)
}

function bySmtp(smtpUrl: string, from: string): Mail {
  const url = new URL(smtpUrl)
  const sender = url.searchParams.get('from') ?? from
  url.searchParams.delete('from')
  // What fails is tried again by the database, whose pauses outlive this process.
  const pool = { pool: true, maxConnections, maxMessages: 100, maxRequeues: 0 } as const
  const transport = createTransport({ url: url.href, ...pool, ...timeouts })
  return {
    host: hostOf(sender),
    async deliver(letter) {
      const signal = AbortSignal.timeout(deliveryTimeoutMs)
      try {
        await transport.sendMail({ ...messageOf(letter, sender), signal } as SendMailOptions)
        return { status: 'sent', error: null }
      } catch (error) {
        return failureOf(error as SmtpError)
      }
    },
    close: () => transport.close(),
  }
}

function messageOf(
  { fromName, replyTo, storeId: _store, customerId: _customer, ...letter }: EmailMessage,
  sender: string,
): SendMailOptions {
  return {
    from: fromName ? { name: fromName, address: addressOf(sender) } : sender,
    // An address is never read as a list of several, whatever is in it.
    ...(replyTo ? { replyTo: { name: '', address: replyTo } } : {}),
    ...letter,
    // RFC 3834 §5: programs that answer for who is away answer no such mail.
    headers: { 'Auto-Submitted': 'auto-generated', ...letter.headers },
  }
}

/** `Shop <shop@example.com>` → `shop@example.com` */
function addressOf(sender: string): string {
  return /<([^<>]+)>/.exec(sender)?.[1] ?? sender.trim()
}

function hostOf(sender: string): string {
  return addressOf(sender).split('@')[1] ?? 'localhost'
}

type SmtpError = Error & { code?: string; command?: string; responseCode?: number; response?: string }

/** RFC 5321 §4.2.1: a 5yz to the receiver's address or to the letter is for good. Any other failure may be ours. */
function failureOf({ message, command = '', responseCode = 0, code }: SmtpError): SendResult {
  const isAddressBad = code === 'EENVELOPE' && command === 'API'
  const isForGood = responseCode >= 500 && ['RCPT TO', 'DATA'].includes(command)
  return { status: isForGood || isAddressBad ? 'refused' : 'again', error: message }
}

function toOutbox(db: Database, vault: Vault, from: string): Mail {
  return {
    host: hostOf(from),
    async deliver({ to, replyTo = null, subject, text, storeId = '', customerId = null }) {
      const id = newUuid()
      await db.transaction((tx) =>
        tx.rows(sql`
        insert into outbox (id, store_id, customer_id, recipient, reply_to, subject, body, created_at)
        values (${id}, ${storeId}, ${customerId}, ${to}, ${replyTo}, ${subject}, ${vault.seal(text, placeOf(id))},
          ${tx.now})`),
      )
      return { status: 'sent', error: null }
    },
    close: () => {},
  }
}

export type OutboxEmail = Pick<EmailMessage, 'to' | 'subject' | 'text'> & { created_at: Date }

/** The newest first. */
export async function readOutbox(db: Db, vault: Vault, limit = 50): Promise<OutboxEmail[]> {
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
