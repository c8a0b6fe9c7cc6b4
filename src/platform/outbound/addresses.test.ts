import assert from 'node:assert/strict'
import { formatReason } from '../../kit/values/faults.ts'
import { test } from 'node:test'
import { isAllowed, notPublic, parseNetworks, refuseUrl } from './addresses.ts'
import { privateHosts } from '../../../test/private-hosts.ts'

for (const host of privateHosts) {
  test(`a URL with the host ${host} is rejected at subscription`, () => {
    assert.equal(refuseUrl(`https://${host}/hook`, []), notPublic)
    assert.equal(refuseUrl(`HTTPS://${host}:8443/hook?x=1`, []), notPublic)
  })
}

const refusedUrls: [url: string, reason: RegExp][] = [
  ['http://example.com/', /https/],
  ['ftp://example.com/', /https/],
  ['//example.com/', /https/],
  ['https:example.com', /https/],
  ['https:/example.com', /https/],
  ['javascript:alert(1)', /https/],
  ['', /https/],
  [' https://example.com/', /https/],
  ['https://user:secret@example.com/', /username/],
  ['https://user@example.com/', /username/],
  ['https://@example.com/', /username/],
  ['https://example.com@127.0.0.1/', /username/],
  ['https://127.0.0.1@example.com/', /username/],
  ['https://example.com%40127.0.0.1/', /valid URL/],
  ['https://example.com/#part', /fragment/],
  ['https://example.com/#', /fragment/],
  ['https://example.com/a b', /spaces/],
  ['https://exa\nmple.com/', /spaces/],
  ['https://example.com/\t', /spaces/],
  ['https://example.com/\u0000', /control/],
  ['https:\\\\127.0.0.1/', /https/],
  ['https://example.com\\@127.0.0.1/', /backslashes/],
  ['https://', /valid URL/],
  ['https://example.com:99999/', /valid URL/],
  ['https://1.2.3.4.5/', /valid URL/],
  ['https://256.1.1.1/', /valid URL/],
  ['https://[fe80::1%25eth0]/', /valid URL/],
  ['https://[::1/', /valid URL/],
  [`https://example.com/${'a'.repeat(2_029)}`, /2,048/],
]
for (const [url, reason] of refusedUrls) {
  test(`${JSON.stringify(url.slice(0, 60))} is rejected with its reason`, () => {
    const refusal = refuseUrl(url, [])
    assert.match(refusal ? formatReason(refusal) : 'accepted', reason)
  })
}

const acceptedUrls = [
  'https://example.com',
  'https://example.com/hook?token=a@b#'.slice(0, -1),
  'https://example.com:8443/a/b',
  'https://bücher.example/',
  'https://93.184.215.14/',
  'https://[2606:4700::1111]/',
  'https://localhost.example.com/',
  'https://10.0.0.1.example.com/',
  `https://example.com/${'a'.repeat(2_028)}`,
]
for (const url of acceptedUrls) {
  test(`${url.slice(0, 60)} is accepted at subscription`, () => {
    assert.equal(refuseUrl(url, []), null)
  })
}

test('an address that is no address is not allowed', () => {
  for (const text of ['', 'example.com', '127.1', '0x7f000001', '::g']) assert.equal(isAllowed(text, []), false)
})

test('the operator allows networks, in both families, and nothing beside them', () => {
  const networks = parseNetworks('10.1.0.0/16, fd00::/8\n127.0.0.1')
  const cases: [string, boolean][] = [
    ['10.1.255.255', true],
    ['10.2.0.0', false],
    ['::ffff:10.1.0.1', true],
    ['fd12::1', true],
    ['fe80::1', false],
    ['127.0.0.1', true],
    ['127.0.0.2', false],
    ['::1', false],
    ['8.8.8.8', true],
    ['2606:4700::1', true],
  ]
  for (const [address, expected] of cases) assert.equal(isAllowed(address, networks), expected, address)
  assert.equal(refuseUrl('https://0xa010001/', networks), null)
  assert.equal(refuseUrl('https://10.2.0.1/', networks), notPublic)
})

test('localhost may be called when a loopback address is allowed', () => {
  for (const list of ['127.0.0.0/8', '127.0.0.1/32', '::1']) {
    assert.equal(refuseUrl('https://localhost:4000/', parseNetworks(list)), null)
    assert.equal(refuseUrl('https://shop.localhost/', parseNetworks(list)), null)
  }
  assert.equal(refuseUrl('https://localhost:4000/', parseNetworks('10.0.0.0/8')), notPublic)
})

test('an empty list of networks is none', () => {
  assert.deepEqual(parseNetworks(''), [])
  assert.deepEqual(parseNetworks(' , '), [])
})

const badNetworks = [
  '10.0.0.0/33',
  'fd00::/129',
  '10.0.0/8',
  '10.0.0.0/',
  '10.0.0.0/8/8',
  '10.0.0.0/-1',
  '10.0.0.0/x',
  '010.0.0.0/8',
  'fe80::1%eth0/64',
  'localhost',
  '/8',
  '::ffff:10.0.0.0/104',
]
for (const entry of badNetworks) {
  test(`the network ${entry} is named in the error`, () => {
    assert.throws(
      () => parseNetworks(`10.0.0.0/8,${entry}`),
      (error: Error) => error.message.includes(`"${entry}"`),
    )
  })
}
