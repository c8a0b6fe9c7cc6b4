// Certificates for tests, made in memory with node:crypto: an authority that signs whatever a test needs.
import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto'
import { isIPv4 } from 'node:net'

export type Certificate = { key: string; cert: string }
type Wanted = { names?: string[]; addresses?: string[]; notBefore?: Date; notAfter?: Date }

export type Authority = {
  /** The root, PEM: trust it with the option `ca`, or in a file by NODE_EXTRA_CA_CERTS. */
  ca: string
  /** A server's certificate; by default for localhost, receiver.localhost and both loopback addresses, valid now. */
  issue: (wanted?: Wanted) => Certificate
}

const dayMs = 86_400_000

export function authority(name = 'Test authority'): Authority {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const until = new Date(Date.now() + 30 * dayMs)
  const extensions = [
    extension('551d13', sequence(boolean(true)), true),
    extension('551d0f', der(0x03, Buffer.from([1, 0b110])), true), // may sign certificates and revocation lists
    extension('551d0e', der(0x04, keyId(publicKey))),
  ]
  const sealed = { issuer: name, subject: name, publicKey, extensions, from: yesterday(), until }
  return {
    ca: certificate(sealed, privateKey),
    issue: (wanted = {}) => {
      const { names = ['localhost', 'receiver.localhost'], addresses = ['127.0.0.1', '::1'] } = wanted
      const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      const from = wanted.notBefore ?? yesterday()
      const leaf = {
        issuer: name,
        subject: names[0] ?? addresses[0] ?? 'test',
        publicKey: pair.publicKey,
        extensions: [
          extension('551d11', alternativeNames(names, addresses)),
          extension('551d23', sequence(der(0x80, keyId(publicKey)))),
        ],
        from,
        until: wanted.notAfter ?? until,
      }
      const key = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
      return { key, cert: certificate(leaf, privateKey) }
    },
  }
}

function keyId(key: KeyObject): Buffer {
  return createHash('sha1')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest()
}

function yesterday(): Date {
  return new Date(Date.now() - dayMs)
}

type Content = { issuer: string; subject: string; publicKey: KeyObject; extensions: Buffer[]; from: Date; until: Date }

// RFC 5280 §4.1, in DER (tag, length, content), signed with ECDSA and SHA-256.
function certificate(content: Content, signer: KeyObject): string {
  const algorithm = sequence(objectId('2a8648ce3d040302'))
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    algorithm,
    commonName(content.issuer),
    sequence(time(content.from), time(content.until)),
    commonName(content.subject),
    content.publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(...content.extensions)),
  )
  const whole = sequence(body, algorithm, der(0x03, Buffer.from([0]), sign('sha256', body, signer)))
  const lines = whole
    .toString('base64')
    .match(/.{1,64}/g)!
    .join('\n')
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`
}

function extension(id: string, value: Buffer, critical = false): Buffer {
  return sequence(objectId(id), ...(critical ? [boolean(true)] : []), der(0x04, value))
}

function alternativeNames(names: string[], addresses: string[]): Buffer {
  return sequence(
    ...names.map((name) => der(0x82, Buffer.from(name))),
    ...addresses.map((address) => der(0x87, addressBytes(address))),
  )
}

function addressBytes(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number))
  const [head = '', tail = ''] = address.split('::')
  const groups = (part: string) => part.split(':').filter(Boolean)
  const missing = 8 - groups(head).length - groups(tail).length
  const all = [...groups(head), ...Array<string>(missing).fill('0'), ...groups(tail)]
  return Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex')
}

function commonName(name: string): Buffer {
  return sequence(der(0x31, sequence(objectId('550403'), der(0x0c, Buffer.from(name)))))
}

function time(at: Date): Buffer {
  return der(0x17, Buffer.from(`${at.toISOString().slice(2, 19).replace(/[-:T]/g, '')}Z`))
}

function boolean(value: boolean): Buffer {
  return der(0x01, Buffer.from([value ? 0xff : 0]))
}

function objectId(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, 'hex'))
}

function sequence(...parts: Buffer[]): Buffer {
  return der(0x30, ...parts)
}

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const size = content.length
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 0xff]
  return Buffer.concat([Buffer.from([tag, ...length]), content])
}
