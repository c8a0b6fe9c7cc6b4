// What the app sends to the database while a test works.
import { mock } from 'node:test'
import pg from 'pg'

/** The names of the prepared statements sent meanwhile, in alphabetical order. */
export async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  const { prototype } = pg.Connection as unknown as { prototype: Record<'bind', (message: any) => void> }
  const binds = mock.method(prototype, 'bind', prototype.bind)
  try {
    await work()
    return binds.mock.calls.map(({ arguments: [message] }) => message.statement).sort()
  } finally {
    binds.mock.restore()
  }
}
