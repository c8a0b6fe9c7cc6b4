// What the app sends to the database while a test works.
import { after } from 'node:test'
import pg from 'pg'

/**
 * The names of the prepared statements sent meanwhile, in alphabetical order. `about`: only of those whose text
 * matches, since other work of the process would count too.
 */
export async function statementsOf(work: () => Promise<unknown>, about = /(?:)/): Promise<string[]> {
  const sent = await bindingsOf(work)
  return sent.flatMap(({ name, text }) => (about.test(text) ? [name] : [])).sort()
}

type Binding = { name: string; text: string; values: unknown[] }

/** What is sent meanwhile, with the values of its parameters, in the order in which it was sent. */
export async function bindingsOf(work: () => Promise<unknown>): Promise<Binding[]> {
  const connection = pg.Connection.prototype as any
  const { bind } = connection
  const sent: Binding[] = []
  // A text without a name is the one that was sent last.
  connection.bind = function (message: { statement: string; values: unknown[] }) {
    const { statement: name, values } = message
    sent.push({ name, text: texts.get(name) ?? '', values })
    return bind.call(this, message)
  }
  try {
    await work()
    return sent
  } finally {
    connection.bind = bind
  }
}

// By the names under which connections keep them: other tests of the process may have sent a text before.
const texts = new Map<string, string>()
const { parse } = pg.Connection.prototype as any
Object.assign(pg.Connection.prototype, {
  parse(this: unknown, message: { name: string; text: string }) {
    texts.set(message.name, message.text)
    return parse.call(this, message)
  },
})

/**
 * What goes to PostgreSQL from now on: statement → the request that sent it first. `withPlain`: also what pg sends
 * without parameters as one message.
 */
export function recordStatements({ withPlain = false } = {}) {
  const statements = new Map<string, string>()
  const routes = new Set<string>()
  let request = ''
  const note = (text: string) => {
    if (!/^\s*(begin|commit|rollback|savepoint|set)\b/.test(text) && !statements.has(text))
      statements.set(text, request)
  }
  const connection = pg.Connection.prototype as any
  const { bind, query } = connection
  connection.bind = function (message: { statement: string }) {
    note(texts.get(message.statement)!)
    return bind.call(this, message)
  }
  if (withPlain)
    connection.query = function (text: string) {
      note(text)
      return query.call(this, text)
    }
  after(() => Object.assign(connection, { bind, query }))
  return {
    statements,
    routes,
    begin(route: string) {
      routes.add(route)
      request = route
    },
  }
}
