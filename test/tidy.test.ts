// The house rules that a machine can keep.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { test } from 'node:test'
import { tables } from '../src/developer/tables.ts'
import type { Table } from '../src/tenancy/tables/table.ts'
import { isLinear, literalsIn } from './linear.ts'
import { phrasesIn } from './phrases.ts'

const root = new URL('..', import.meta.url).pathname

// From the ground up: a wing imports from itself and from the wings before it.
const wings = [
  'kit',
  'platform',
  'tenancy',
  'identity',
  'commerce',
  'money',
  'storefront',
  'developer',
  'dashboard',
  'http',
  'extensions',
  'demo',
  'program',
]

// The same within a wing, and within the folders that have an order of their own.
// prettier-ignore
const orders = [
  wings,
  ['platform/process', 'platform/ratelimit', 'platform/postgres', 'platform/languages', 'platform/pages',
    'platform/signatures', 'platform/outbound'],
  ['tenancy/answers', 'tenancy/audit', 'tenancy/plans', 'tenancy/events', 'tenancy/stores', 'tenancy/emails',
    'tenancy/dispatch', 'tenancy/tables', 'tenancy/tables.ts', 'tenancy/extensions'],
  ['identity/accounts', 'identity/signin', 'identity/apikeys', 'identity/oauth', 'identity/account',
    'identity/tables.ts'],
  ['commerce/samples.ts', 'commerce/tax', 'commerce/media', 'commerce/catalog/payload.ts', 'commerce/inventory',
    'commerce/catalog', 'commerce/customers', 'commerce/discounts', 'commerce/payments', 'commerce/orders',
    'commerce/draftorders', 'commerce/fulfillments', 'commerce/returns', 'commerce/notifications',
    'commerce/tables.ts'],
  ['money/processing', 'money/ledger', 'money/reports'],
  ['storefront/checkout', 'storefront/accounts', 'storefront/branding', 'storefront/redirects',
    'storefront/letters', 'storefront/shop', 'storefront/tables.ts'],
  ['storefront/checkout/offers', 'storefront/checkout/cart', 'storefront/checkout/settlement',
    'storefront/checkout/drafts', 'storefront/checkout/orderpayments', 'storefront/checkout/draftorders'],
  ['storefront/shop/frame', 'storefront/shop/catalog', 'storefront/shop/cart', 'storefront/shop/checkout',
    'storefront/shop/account', 'storefront/shop/feeds'],
  ['developer/webhooks', 'developer/tasks', 'developer/eventlog', 'developer/auditlog',
    'developer/requests', 'developer/dryruns', 'developer/proposals', 'developer/privacy', 'developer/routes.ts'],
  ['dashboard/savedviews', 'dashboard/notifications', 'dashboard/framework', 'dashboard/screens',
    'dashboard/mount.ts'],
  ['extensions/archives', 'extensions/examination', 'extensions/explain', 'extensions/forks', 'extensions/mcp',
    'extensions/ucp', 'extensions/sandbox', 'extensions/transfer', 'extensions/backinstock',
    'extensions/downloads', 'extensions/list.ts'],
  ['program/config.ts', 'program/environment.ts', 'program/extensions.ts', 'program/tables.ts', 'program/cli',
    'program/jobs.ts', 'program/innerapp.ts', 'program/app.ts', 'program/serving.ts', 'program/workers.ts',
    'program/greeting.ts', 'program/main.ts', 'program/cli.ts'],
]

const files = globSync('src/**/*.ts', { cwd: root }).filter((file) => !file.endsWith('.d.ts'))
const sources = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]))
const product = files.filter((file) => !file.endsWith('.test.ts'))

const importsOf = (text: string): string[] =>
  [...text.matchAll(/(?:from|import) ?\(?'(\.[^']+)'/g)].map(([, path]) => path!)
const placeIn = (order: readonly string[], file: string) =>
  order.findIndex((place) => file === `src/${place}` || file.startsWith(`src/${place}/`))
// Declarations of tables know what is done with their rows: they are above all folders of their wing.
const ranked = (file: string) => file.replace(/^(src\/(?!platform)\w+)\/\w+\/tables\.ts$/, '$1/tables.ts')

test('imports point down: to the wings below, and within a wing to the folders below', () => {
  const wrong: string[] = []
  for (const file of product) {
    assert.ok(placeIn(wings, file) >= 0, `${file} is in no wing`)
    for (const path of importsOf(sources.get(file)!)) {
      const target = relative(root, join(root, dirname(file), path))
      const isUp = orders.some((order) => {
        const [own, other] = [placeIn(order, ranked(file)), placeIn(order, ranked(target))]
        return own >= 0 && other > own
      })
      if (isUp) wrong.push(`${file} imports ${path}`)
    }
  }
  assert.deepEqual(wrong, [])
})

/** The files whose code the imports of a file run with it: neither those of types alone nor those that run later. */
const loadedBy = (file: string) =>
  [...sources.get(file)!.matchAll(/^(?:import|export) (?!type )(?:[^'(]*? from )?'(\.[^']+)'/gm)]
    .map(([, path]) => join(dirname(file), path!))
    .filter((target) => sources.has(target))

test('only the list of extensions and the parts above know an extension, and each says what it is', () => {
  const core = wings.slice(0, wings.indexOf('extensions')).map((wing) => `src/${wing}/`)
  const isCore = (file: string) => core.some((wing) => file.startsWith(wing))
  const isExtension = (file: string) => file.startsWith('src/extensions/')
  const targets = (file: string) => importsOf(sources.get(file)!).map((path) => join(dirname(file), path))
  const wrong = product.filter((file) => isCore(file) && targets(file).some(isExtension))
  assert.deepEqual(wrong, [])
  const readers = product.filter((file) => isCore(file) && /\bextensions\/list\b/.test(sources.get(file)!))
  assert.deepEqual(readers, ['src/tenancy/extensions/loaded.ts'])
  // The lists of the core wait for this one, so its declarations cannot wait for them.
  const reached = new Set(['src/extensions/list.ts'])
  for (const file of reached) for (const target of loadedBy(file)) reached.add(target)
  assert.ok(!reached.has('src/tenancy/extensions/loaded.ts'), 'a declaration imports what waits for all of them')
  const names = [...new Set(product.filter(isExtension).map((file) => file.split('/')[2]!))]
  for (const name of names.filter((one) => !one.endsWith('.ts'))) {
    const text = readFileSync(join(root, 'src/extensions', name, 'README.md'), 'utf8')
    assert.ok(text.split('\n').length <= 16 && text.startsWith(`# ${name}\n`), name)
    assert.ok(product.includes(`src/extensions/${name}/extension.ts`), name)
    const others = names.filter((other) => other !== name && !other.endsWith('.ts'))
    const own = product.filter((file) => file.startsWith(`src/extensions/${name}/`))
    const foreign = own.filter((file) =>
      targets(file).some((target) => others.some((other) => target.startsWith(`src/extensions/${other}/`))),
    )
    assert.deepEqual(foreign, [], `${name} knows no other extension`)
  }
})

test('every folder of a wing has a place in its order, and every wing says what it is', () => {
  const unordered = ['kit', 'http', 'demo']
  // Folders of its wing declare what it lists, and others read the list.
  const lists = ['developer/tables.ts']
  const folders = [...new Set(product.map((file) => file.split('/').slice(1, 3).join('/')))]
  const placed = new Set([...orders.flat(), ...lists])
  const missing = folders.filter((folder) => {
    const [wing = '', name] = folder.split('/')
    return wings.includes(wing) && !unordered.includes(wing) && name !== 'assets' && !placed.has(folder)
  })
  assert.deepEqual(missing, [])
  for (const wing of wings) {
    const text = readFileSync(join(root, 'src', wing, 'README.md'), 'utf8')
    assert.ok(text.split('\n').length <= 16 && text.startsWith(`# ${wing}\n`), wing)
  }
})

// Each with what it reads: files, columns, requests and cookies. Text that is made to be sent is read by nobody here.
// prettier-ignore
const jsonReaders = {
  'src/platform/process/version.ts':     'package.json',
  'src/tenancy/extensions/load.ts':      'package.json',
  'src/extensions/ucp/agent.ts':         'profiles of agents',
  'src/storefront/checkout/cart/askquotes.ts': 'answers of apps',
  'src/platform/process/log.ts':         'lines of pino',
  'src/platform/postgres/cluster.ts':    'the links that a package lists',
  'src/platform/postgres/backupfile.ts': 'a backup',
  'src/platform/postgres/schema.ts':     'a comment of the database',
  'src/platform/languages/translator.ts': 'messages',
  'src/kit/declare/unchanged.ts':          'a record as this program has written it',
  'src/kit/declare/onetime.ts':            'a record as this program has written it',
  'src/kit/database/values.ts':          'columns',
  'src/kit/declare/children.ts':        'columns with rows',
  'src/kit/declare/composites.ts':       'columns',
  'src/developer/auditlog/entry.ts':                'columns',
  'src/http/bodies.ts':                  'bodies of requests',
  'src/http/requestrecord.ts':                  'answers to writes, for the log of requests',
  'src/http/dryrun.ts':                'answers to dry runs, of which contacts are left out',
  'src/extensions/examination/listen.ts':                  'bodies of events in the database',
  'src/developer/privacy/events.ts':     'bodies of events in the database',
  'src/commerce/payments/settings.ts':             'sealed settings',
  'src/commerce/payments/webhookbody.ts':          'what payment providers send',
  'src/extensions/examination/misreadings.ts': 'bodies of events, to write them otherwise',
  'src/developer/webhooks/openapi.ts':             'an example of the exact bytes, once',
  'src/identity/oauth/documents.ts':    'metadata documents of clients',
  'src/identity/oauth/successors.ts':   'a sealed answer',
  'src/identity/signin/pendinglogin.ts':                  'a sealed cookie',
  'src/identity/accounts/factors/ceremony.ts':    'what a browser answers for a passkey',
  'src/program/cli/api.ts':                     'what a developer typed, and what the API answers',
  'src/extensions/mcp/call.ts':           'what the API answers',
  'src/dashboard/framework/call.ts':               'what the API answers',
  'src/dashboard/framework/icons.ts':    'the icons of a package',
  'src/dashboard/screens/products/bulk/changes.ts': 'what a preview has packed',
  'src/dashboard/screens/webhooks/deliveries.ts': 'what the API answers',
  'src/extensions/sandbox/storage.ts':               'lines that it has written',
  'src/extensions/archives/declared.ts':    'JSON that the declaration of a column writes of its cell',
  'src/kit/values/provinces.ts':         'the rules of addresses of a package',
  'src/extensions/transfer/imports/cells.ts':      'lists in the cells of a file',
  'src/extensions/transfer/imports/readjsonl.ts':  'lines of a file',
  'src/dashboard/framework/customfields.ts':       'what a form has shown, signed by nobody: only keys are compared',
  'src/storefront/checkout/offers/answers.ts':     'a column',
  'src/tenancy/stores/customvalues.ts':            'a column',
  'src/extensions/transfer/imports/mapping.ts': 'the mapping, which comes beside a file',
}

test('JSON is parsed where it comes in, and operations answer objects', () => {
  const readers = product.filter((file) => /\bJSON\.parse\b/.test(sources.get(file)!))
  assert.deepEqual(readers.sort(), Object.keys(jsonReaders).sort())
})

test('the queue alone sends mail', () => {
  const senders = product.filter((file) =>
    /\bmail\.deliver\(|\bsendMail\(|\bfrom 'nodemailer'/.test(sources.get(file)!),
  )
  assert.deepEqual(senders.sort(), ['src/platform/outbound/mail.ts', 'src/tenancy/emails/sender.ts'])
  const writers = product.filter((file) => /insert into mails\b/.test(sources.get(file)!))
  assert.deepEqual(writers.sort(), ['src/tenancy/emails/operations.ts', 'src/tenancy/emails/queue.ts'])
})

// Each with what it reads, which is nothing that a stranger wrote.
// prettier-ignore
const ownTexts = {
  'src/extensions/examination/probes.ts':   'bodies of events',
  'src/developer/requests/statement.ts':            'statements of this program',
  'src/platform/postgres/postmaster.ts':  'the log of PostgreSQL',
  'src/demo/pictures.ts':                 'drawings of the demo store',
}

test('regular expressions look at a text once, whatever is in it', () => {
  const slow = product.flatMap((file) => literalsIn(file, sources.get(file)!).filter((one) => !isLinear(one)))
  const isOwn = ({ at }: { at: string }) => Object.hasOwn(ownTexts, at.split(':')[0]!)
  assert.deepEqual(
    slow.filter((one) => !isOwn(one)).map(({ at }) => at),
    [],
  )
  assert.deepEqual([...new Set(slow.map(({ at }) => at.split(':')[0]!))].sort(), Object.keys(ownTexts).sort())
})

test('what looks at a text again and again is found', () => {
  const slow = [/(\w+)=x/, /\s+$/, /[^@]+@/, /^\S+@\S+$/, /^(a+)+$/, /https?:[^?]+\?/, /<a>[^]*<\/a>/, /^\d*,?\d*$/]
  const fast = [/^\w+=x/, /(?<!\s)\s+$/, /\{(\w+)\}/, /^[^\s@]+@\S+$/, /\w+/, /\d{1,20}x/, /\w+=x/y, /"[^"]*"/]
  const isFound = ({ source, flags }: RegExp) => !isLinear({ pattern: source, flags })
  assert.deepEqual([slow.filter((one) => !isFound(one)), fast.filter(isFound)], [[], []])
})

// Made of parts while it runs: each with what the parts are, and why it looks at a text once.
// prettier-ignore
const madeExpressions = {
  'src/storefront/branding/storepage.ts':    'the form of slugs, of a text that is short enough',
  'src/tenancy/stores/store.ts':      'the form of domains, of a text that is short enough',
  'src/http/operations.ts':   'paths of the route table, from their beginning to their end',
  'src/tenancy/stores/hosts.ts':         'hosts of the configuration, from their beginning',
  'src/kit/values/provinces.ts': 'the forms of postal codes of a package, on at most 40 characters',
}

test('regular expressions are literals, which can be looked at', () => {
  const makers = product.filter((file) => /\bRegExp\(/.test(sources.get(file)!))
  assert.deepEqual(makers.sort(), Object.keys(madeExpressions).sort())
})

test('no files import each other in a circle', () => {
  const targets = (file: string) => importsOf(sources.get(file) ?? '').map((path) => join(dirname(file), path))
  const reach = new Map(product.map((file) => [file, new Set<string>()]))
  const follow = (from: Set<string>, file: string): void =>
    targets(file).forEach((target) => {
      if (from.has(target) || !sources.has(target)) return
      from.add(target)
      follow(from, target)
    })
  for (const [file, reached] of reach) follow(reached, file)
  const circleOf = (file: string) =>
    product.filter((other) => reach.get(file)!.has(other) && reach.get(other)!.has(file)).sort()
  const circles = new Set(product.map((file) => circleOf(file).join(' ')).filter(Boolean))
  assert.deepEqual([...circles], [])
})

test('no function has more than 60 lines', () => {
  const long = product.flatMap((file) =>
    [...sources.get(file)!.matchAll(/^(?:export )?(?:async )?function\*? (\w+)[^]*?\n}$/gm)]
      .filter(([text]) => text.split('\n').length > 60)
      .map(([, name]) => `${file}: ${name}`),
  )
  assert.deepEqual(long, [])
})

/** `(tx: Tx, store: Store, { id }: Body)` → ['tx: Tx', 'store: Store', ': Body']. */
function parametersOf(list: string): string[] {
  let [text, before] = [list, '']
  while (text !== before) [before, text] = [text, text.replace(/\{[^{}]*\}/g, '').replace(/<[^<>]*>/g, '')]
  return text.split(/,\s*/).map((parameter) => parameter.trim())
}

test('what asks the database takes it first, and then the store', () => {
  // The tools of kit take the resource between them; calls and http put requests together.
  const domains = product.filter((file) => !/^src\/(kit|http|platform|tenancy\/dispatch)\//.test(file))
  const isDatabase = (parameter: string) => /: (Tx|Db|Database|StoreDatabase)\b/.test(parameter)
  const isStore = (parameter: string) => /^(store|storeId)\b/.test(parameter)
  const wrong = domains.flatMap((file) =>
    [...sources.get(file)!.matchAll(/^(?:export )?(?:async )?function\*? (\w+)[^(]*\(([^]*?)\)(?:: .*)? \{$/gm)]
      .filter(([, , list]) => {
        const parameters = parametersOf(list!)
        const [database, store] = [parameters.findIndex(isDatabase), parameters.findIndex(isStore)]
        return database > 0 || (database === 0 && store > 1)
      })
      .map(([, name]) => `${file}: ${name}`),
  )
  assert.deepEqual(wrong, [])
})

const nouns = new Set(
  [
    ['product', 'variant', 'category', 'categories', 'collection', 'catalog', 'cart', 'checkout', 'customer'],
    ['shopper', 'merchant', 'order', 'discount', 'coupon', 'payment', 'refund', 'plan', 'webhook', 'invoice'],
    ['fulfillment', 'shipment', 'shipping', 'inventory', 'stock', 'tax', 'taxes', 'proposal', 'obstacle'],
  ]
    .flat()
    .flatMap((noun) => [noun, `${noun}s`]),
)

const nounsOfKit = {
  // An example of an error response.
  'src/kit/declare/errorresponse.ts': ['product'],
  // The contract's words for a response that was erased.
  // The codes of the contract are one list, PLAN_LIMIT_EXCEEDED among them.
  'src/kit/values/errors.ts': ['plan'],
  // Sorting: order by, asc or desc.
  'src/kit/database/batches.ts': ['order'],
  'src/kit/database/due.ts': ['order'],
  'src/kit/database/overdue.ts': ['order'],
  'src/kit/database/walk.ts': ['order'],
  'src/kit/declare/children.ts': ['order'],
  'src/kit/declare/columns.ts': ['order'],
  'src/kit/declare/cursor.ts': ['order'],
  'src/kit/declare/listquery.ts': ['order'],
  'src/kit/declare/page.ts': ['order'],
  'src/kit/declare/pagequery.ts': ['order'],
  'src/kit/declare/resource.ts': ['order'],
  // PostgreSQL's plans of queries.
  'src/kit/database/settings.ts': ['plan'],
}

test('kit knows no domain, in identifiers and strings', () => {
  const used = product
    .filter((file) => file.startsWith('src/kit/'))
    .map((file): [string, string[]] => {
      const code = sources.get(file)!.replace(/\/\*[^]*?\*\/|(?<=^|\s)\/\/.*$/gm, '')
      const words = code.split(/[^A-Za-z]+|(?<=[a-z])(?=[A-Z])/).map((word) => word.toLowerCase())
      return [file, [...new Set(words)].filter((word) => nouns.has(word)).sort()]
    })
  assert.deepEqual(Object.fromEntries(used.filter(([, words]) => words.length > 0)), nounsOfKit)
})

test('a type name stands in one file, but for a few', () => {
  const names = product.flatMap((file) => [
    ...new Set([...sources.get(file)!.matchAll(/^(?:export )?(?:type|interface) (\w+)/gm)].map(([, name]) => name!)),
  ])
  const repeated = new Set(names.filter((name, index) => names.indexOf(name) !== index))
  assert.ok(repeated.size <= 15, [...repeated].join(', '))
})

test('nothing is called util, helper, manager, service or common', () => {
  assert.deepEqual(
    files.filter((file) => /(^|\/)(utils?|helpers?|managers?|services?|common)(\.|\/)/i.test(file)),
    [],
  )
})

test('no file has more than 400 lines', () => {
  assert.deepEqual(
    product.filter((file) => sources.get(file)!.split('\n').length > 401),
    [],
  )
})

test('no line of TypeScript is longer than 120 columns', () => {
  const long = globSync(['src/**/*.ts', 'test/**/*.ts', 'bench/**/*.ts'], { cwd: root }).flatMap((file) => {
    const lines = readFileSync(join(root, file), 'utf8').split('\n')
    return lines.flatMap((line, index) => (line.length > 120 ? [`${file}:${index + 1}`] : []))
  })
  assert.deepEqual(long, [])
})

test('Node strips types and compiles nothing: no enums, namespaces or default exports, and imports end in .ts', () => {
  const wrong = files.filter((file) => {
    const text = sources.get(file)!
    const isPlain = !/^\s*(export )?(const )?enum |^\s*(export )?namespace |^export default /m.test(text)
    return !isPlain || importsOf(text).some((path) => !/\.(ts|json|css|js)$/.test(path))
  })
  assert.deepEqual(wrong, [])
})

// The drivers of sockets and of the database tell some failures by their text alone; commander's are for people.
const readingMessages = new Set([
  'src/platform/outbound/failures.ts',
  'src/kit/database/database.ts',
  'src/kit/database/errors.ts',
  'src/program/cli.ts',
])

test('no regular expression reads a message: what is to be decided on has a code', () => {
  const reading = [
    /\bmessage\b[)!?]*\s*\.\s*(match|matchAll|search|replace|replaceAll|split|startsWith|endsWith|includes|indexOf)\(/,
    /\.(test|exec)\([^()]*\bmessage\b/,
    /\bmessage: \/|\bmessage: RegExp/,
  ]
  assert.deepEqual(
    product.filter((file) => !readingMessages.has(file) && reading.some((form) => form.test(sources.get(file)!))),
    [],
  )
})

test('what must not be in a text is too long to be met in an id or a secret by chance', () => {
  const isShort = (text: string) => text.length < 5 && /^[\w-]*[a-z0-9][\w-]*$/i.test(text)
  const found = globSync('{src,test}/**/*.test.ts', { cwd: root }).flatMap((file) => {
    const lines = readFileSync(join(root, file), 'utf8').split('\n')
    return lines.flatMap((line, index) => {
      if (!/assert\.(ok|equal|doesNotMatch)\(/.test(line)) return []
      const patterns = [...line.matchAll(/doesNotMatch\(.{1,100}?, \/((?:\\.|[^/\\])+)\//g)].map(([, one]) => one!)
      const words = [...line.matchAll(/!([\w.!()]{1,80})\.includes\('([^']*)'\)/g)]
      const texts = words.filter(([, whose]) => !/names$/.test(whose!)).map(([, , text]) => text!)
      const alternatives = [...patterns.flatMap((one) => one.replaceAll(/\(.*?\)/g, '()').split('|')), ...texts]
      return alternatives.filter(isShort).map((one) => `${file}:${index + 1} ${one}`)
    })
  })
  assert.deepEqual(found, [])
})

test('SQL in templates is lower-case', () => {
  const keyword = /\b(SELECT|INSERT|UPDATE|DELETE|FROM|WHERE|RETURNING|VALUES)\b/
  const statementsOf = (text: string) => [...text.matchAll(/sql`([^`]*)`/g)].map(([, statement]) => statement!)
  const wrong = product.filter((file) => statementsOf(sources.get(file)!).some((statement) => keyword.test(statement)))
  assert.deepEqual(wrong, [])
})

test('nothing is left for later', () => {
  assert.deepEqual(
    product.filter((file) => /(?<!\p{L})(TODO|FIXME|XXX|not implemented)\b/iu.test(sources.get(file)!)),
    [],
  )
})

test('docs, messages, comments and strings use none of the rejected phrases', () => {
  assert.deepEqual(phrasesIn(root), [])
})

test('every file that the docs name exists', () => {
  const everyFile = globSync('{src,test,bench,deploy,languages,migrations}/**/*', { cwd: root })
  const documents = globSync(['*.md', 'docs/{,api/,architecture/,contributing/,guides/}*.md', 'src/*/README.md'], {
    cwd: root,
  })
  const missing = documents.flatMap((file) => {
    const names = [...readFileSync(join(root, file), 'utf8').matchAll(/`([a-z][\w/.-]*\.(?:ts|sql))`/g)]
    const isThere = (name: string) => name.includes('NNNN') || everyFile.some((one) => `/${one}`.endsWith(`/${name}`))
    return names.filter(([, name]) => !isThere(name!)).map(([, name]) => `${file}: ${name}`)
  })
  assert.deepEqual(missing, [])
})

test('SQL says nothing that PostgreSQL 15 does not understand', () => {
  const newer =
    /\b(uuidv7|uuidv4|uuid_extract_\w+|any_value|json_table|json_query|json_value|json_exists|casefold)\s*\(/
  const clauses = /\breturning\s+(with\s*\(|old\.|new\.)|\bmerge into\b[^;`]*\breturning\b|\)\s*virtual\b|\bis json\b/
  const migrations = globSync('migrations/*.sql', { cwd: root })
  const texts = [...product, ...migrations].map((file) => [file, readFileSync(join(root, file), 'utf8')] as const)
  assert.deepEqual(
    texts.filter(([, text]) => newer.test(text) || clauses.test(text)).map(([file]) => file),
    [],
  )
})

// Tables that are declared in another folder than their own: kit, platform and http declare none, and a declaration may
// need what is above its folder.
// prettier-ignore
const homes: Record<string, string> = {
  canary: 'platform/postgres', events: 'tenancy/events', idempotency_keys: 'kit/declare', job_runs: 'platform/process',
  migrations: 'platform/postgres', outbox: 'platform/outbound', saved_views: 'dashboard/savedviews',
  signing_keys: 'extensions/ucp', stores: 'tenancy/stores', write_probes: 'http',
}

// The declarations of kit and platform, copies of whole stores, the erasure of a person, and the demo.
const writesAll = [
  'tenancy/tables/platform.ts',
  'extensions/archives/',
  'extensions/forks/',
  'developer/privacy/',
  'demo/',
]

// Each with why another folder writes the table.
// prettier-ignore
const foreignWrites: Record<string, string> = {
  'src/commerce/customers/access.ts shopper_passkeys':        'a customer whose email changes is signed out',
  'src/commerce/customers/access.ts shopper_sessions':        'a customer whose email changes is signed out',
  'src/commerce/customers/operations.ts orders':              'orders stay when their customer is deleted',
  'src/commerce/inventory/operations.ts products':            'stock is columns of products and variants',
  'src/commerce/inventory/operations.ts variants':            'stock is columns of products and variants',
  'src/commerce/inventory/stock.ts products':                 'stock is columns of products and variants',
  'src/commerce/inventory/stock.ts variants':                 'stock is columns of products and variants',
  'src/developer/webhooks/delivery/purge.ts event_logs':      'old events are deleted with their deliveries',
  'src/developer/webhooks/delivery/resend.ts events':         'a test event is written for one receiver',
  'src/identity/accounts/team.ts oauth_grants':               'a member who may do less gives apps nothing any more',
  'src/tenancy/events/appwebhooks.ts deliveries':             'an app loses its webhooks with its access',
  'src/tenancy/events/appwebhooks.ts webhook_health':         'an app loses its webhooks with its access',
  'src/tenancy/events/appwebhooks.ts webhooks':               'an app loses its webhooks with its access',
  'src/tenancy/events/emit.ts deliveries':                    'an event is queued in the statement that writes it',
}

test('only its own folder writes a table, but for what is named', async () => {
  const homeOf = new Map<string, string>()
  for (const file of product.filter((one) => one.endsWith('/tables.ts') || one === 'src/tenancy/tables/platform.ts')) {
    for (const { name } of Object.values<Table>(await import(join(root, file))))
      if (file.split('/').length === 4) homeOf.set(name, homes[name] ?? dirname(file).slice('src/'.length))
  }
  assert.deepEqual(
    tables.filter(({ name }) => !homeOf.has(name)),
    [],
  )
  const target = /\b(?:insert into|update|delete from) ([a-z_]+)\s+(?:set|\(|as|where|using|select)/g
  const written = product.flatMap((file) => {
    const code = sources.get(file)!.replace(/\/\*[^]*?\*\/|(?<=^|\s)\/\/.*$/gm, '')
    const names = new Set([...code.matchAll(target)].map(([, name]) => name!))
    const isOwn = (name: string) =>
      [homeOf.get(name) + '/', ...writesAll].some((home) => file.startsWith(`src/${home}`))
    return [...names].filter((name) => homeOf.has(name) && !isOwn(name)).map((name) => `${file} ${name}`)
  })
  assert.deepEqual(written.sort(), Object.keys(foreignWrites).sort())
})
