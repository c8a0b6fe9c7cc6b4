// Triggers of a distributed database run on the server that has the row, and reach what that server has.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import pg from 'pg'
import { placement } from '../../src/developer/tables.ts'
import { databaseUrl, newDatabase } from '../database.ts'
import { root } from '../server.ts'
import { triggersOf, type Triggers } from './triggers.ts'

const client = new pg.Client({ connectionString: databaseUrl() })
await client.connect()
after(() => client.end())
const triggers = await triggersOf(client)

test('the triggers are many, and what they write is found', () => {
  assert.ok(triggers.all.length > 150)
  assert.ok(triggers.writtenBy('follow_version').has('store_versions'))
  for (const table of ['media_changes', 'media_uses']) assert.ok(triggers.writtenBy('note_media_uses').has(table))
})

test('a trigger writes only what is where its row is', () => assert.deepEqual(astray(triggers), []))

test('no trigger asks for the name of its table, which is another one on each server', () => {
  const asking = triggers.all.filter(({ function: name }) =>
    /\btg_(relid|relname|table_name)\b/.test(triggers.textOf(name)),
  )
  // It cuts off the number of the part.
  assert.deepEqual([...new Set(asking.map(({ function: name }) => name))], ['note_media_uses'])
  assert.match(triggers.textOf('note_media_uses'), /regexp_replace\(tg_table_name, '_\[0-9\]\{6,\}\$', ''\)/)
})

test('a trigger of stores that writes a table of stores is found, also by the functions that it calls', async (t) => {
  const own = new pg.Client({ connectionString: await newDatabase(t) })
  own.on('error', () => {})
  await own.connect()
  await own.query(`
    create function follow_settings() returns trigger language plpgsql as $$
    begin
      perform move_version(new.id, 'settings');
      return null;
    end $$;
    create trigger follow_settings after update on stores for each row execute function follow_settings();
    create function count_order() returns trigger language plpgsql as $$
    begin
      update plans set name = name;
      return null;
    end $$;
    create trigger count_order after insert on orders for each row execute function count_order()`)
  assert.deepEqual(astray(await triggersOf(own)), [
    'count_order on orders writes plans',
    'follow_settings on stores writes store_versions',
  ])
  await own.end()
})

test('whoever writes a row of stores calls what follows from it', () => {
  const writing = /\b(update stores\s+set|insertInto\(store\b)/g
  const wrong = globSync('src/**/*.ts', { cwd: root }).filter((file) => {
    const text = readFileSync(`${root}${file}`, 'utf8')
    // Of a store that an archive brings in the same transaction nothing is kept yet.
    if (file.endsWith('.test.ts') || file.startsWith('src/extensions/archives/')) return false
    return (text.match(writing) ?? []).length > (text.match(/^\s+.*\bfollowStore\(tx, /gm) ?? []).length
  })
  assert.deepEqual(wrong, [])
})

/** Those of `local` tables run where the processes connect, and can reach all servers. */
function astray({ all, writtenBy }: Triggers): string[] {
  return all.flatMap(({ table, name, function: called }) => {
    const place = placement[table]!
    const others = [...writtenBy(called)].filter(
      (written) => placement[written] && !reaches(place, placement[written]!),
    )
    return others.map((written) => `${name} on ${table} writes ${written}`)
  })
}

function reaches(from: string, to: string): boolean {
  return from === 'local' || from === 'unregistered' || (from === 'distributed' && to === 'distributed')
}
