// A real mail server for tests: what it takes, and how it refuses, hangs or is away.
import { after } from 'node:test'
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'

export type Received = { to: string; from: string; raw: string; header(name: string): string | undefined }

type Answer = 'take' | 'later' | 'hang'

export type MailServer = {
  url: string
  port: number
  received: Received[]
  /** What it says to a letter. */
  answer: Answer
  /** Addresses that nobody has. */
  unknown: Set<string>
  /** Called with each letter before it is acknowledged. */
  onLetter: (letter: Received) => void | Promise<void>
  /** How many connections were open at once at most. */
  most: number
  close(): Promise<void>
}

export async function openMailServer(port = 0): Promise<MailServer> {
  let connections = 0
  const self = {
    received: [] as Received[],
    answer: 'take' as Answer,
    unknown: new Set<string>(),
    most: 0,
  } as MailServer
  self.onLetter = () => {}
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    closeTimeout: 100,
    onConnect(_session, done) {
      self.most = Math.max(self.most, ++connections)
      done()
    },
    onClose: () => void connections--,
    onRcptTo({ address }, _session, done) {
      done(self.unknown.has(address) ? refusal(550, 'no such user here') : null)
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', async () => {
        const { mailFrom, rcptTo } = session.envelope
        const raw = Buffer.concat(chunks).toString('utf8')
        const letter = { to: rcptTo[0]!.address, from: mailFrom ? mailFrom.address : '', raw, header: headerOf(raw) }
        if (self.answer === 'hang') return
        if (self.answer === 'later') return done(refusal(451, 'try again later'))
        self.received.push(letter)
        await self.onLetter(letter)
        done(null)
      })
    },
  })
  server.on('error', () => {})
  await new Promise<void>((listening) => server.listen(port, '127.0.0.1', listening))
  self.port = (server.server.address() as AddressInfo).port
  self.url = `smtp://127.0.0.1:${self.port}?from=no-reply@shop.example`
  self.close = () => new Promise((closed) => server.close(() => closed()))
  after(() => self.close().catch(() => {}))
  return self
}

function refusal(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode })
}

/** Of a header that may go over several lines. */
function headerOf(raw: string): (name: string) => string | undefined {
  const head = raw.slice(0, raw.indexOf('\r\n\r\n')).replaceAll(/\r\n[ \t]+/g, ' ')
  return (name) => new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1]
}
