// Declarations that are refused; test/extensions.test.ts runs extensions in a server.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { version } from '../../platform/process/version.ts'
import { declareEvents } from '../events/event.ts'
import { buildRouteVerbs } from '../../kit/declare/route.ts'
import { table } from '../tables/table.ts'
import { listDeclarationFaults } from './check.ts'
import type { Extension } from './extension.ts'
import { loadExtensions } from './load.ts'

const declared: Extension = { name: 'loyalty', version: '1.0.0' }
const marks = { audit: 'a log of its own' }
const event = (type: string) =>
  declareEvents({ scope: 'read:store', subjectId: 'x', fields: {} }, { [type]: { when: 'Never.', sample: {} } })
const route = (path: string) =>
  buildRouteVerbs<any>('Loyalty').get(path, { scope: 'read:store', returns: {}, summary: 'Get', run: () => '' as any })

const declarations: [sentence: string, declaration: Partial<Extension>, fault: RegExp | null][] = [
  ['a name and a version is accepted', {}, null],
  ['this version required is accepted', { requires: version }, null],
  ['an older version required is accepted', { requires: '0.0.9' }, null],
  ['a newer version required is refused', { requires: '99.0.0' }, /requires Stoa 99\.0\.0, and/],
  ['a version that is not one is refused', { requires: 'latest' }, /it requires "latest"/],
  ['a name with capitals is refused', { name: 'Loyal-ty' }, /its name "Loyal-ty" is not/],
  ['a version of two numbers is refused', { version: '1.0' }, /its version "1\.0" is not/],
  ['a table with marks is accepted', { tables: [table('loyalty_awards', marks)] }, null],
  ['a table without audit is refused', { tables: [table('loyalty_awards', {} as any)] }, /loyalty_awards has no marks/],
  ['a table without marks is refused', { tables: [{ name: 'loyalty_awards' } as any] }, /loyalty_awards has no marks/],
  ["a table of the core's is refused", { tables: [table('orders', marks)] }, /orders does not begin with loyalty_/],
  ['an event of its own is accepted', { events: [event('loyalty.awarded')] }, null],
  ['an event of another name is refused', { events: [event('orders.awarded')] }, /orders\.awarded is not loyalty\./],
  ['paths of its own are accepted', { routes: ['/loyalty', '/loyalty/a'].map(route) }, null],
  ['a path of another name is refused', { routes: [route('/loyaltya')] }, /\/loyaltya is not \/loyalty/],
  [
    'one path twice is refused',
    { routes: ['/loyalty/{id}', '/loyalty/{name}'].map(route) },
    /GET \/loyalty\/\{\} twice/,
  ],
  ['half a route is refused', { routes: [{ path: '/loyalty' } as any] }, /\/loyalty is not made by buildRouteVerbs/],
  ['a message of another name is refused', { messages: { en: { title: 'Loyalty' } } }, /title is not loyalty_/],
]

for (const [sentence, declaration, fault] of declarations) {
  test(`an extension with ${sentence}`, () => {
    const faults = listDeclarationFaults({ ...declared, ...declaration }, version)
    if (fault) assert.match(faults.join(), fault)
    else assert.deepEqual(faults, [])
  })
}

test('a package that is not installed is refused, and a folder without package.json', async () => {
  const { wrong, extensions } = await loadExtensions(['@nobody/nothing', './src'], {})
  assert.deepEqual(extensions, [])
  const fault = 'neither a folder with a package.json nor an installed package'
  assert.deepEqual(wrong, [`@nobody/nothing: ${fault}`, `./src: ${fault}`])
})
