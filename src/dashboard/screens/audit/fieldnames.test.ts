// Every field and every kind of record that the audit log can show has a name in the dashboard.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openWorld } from '../../../../test/world.ts'
import { sql } from '../../../kit/database/sql.ts'
import { languages } from '../../../kit/values/language.ts'
import { nounNames } from '../../../developer/auditlog/nouns.ts'
import { dashboardTranslator, isMessageKey } from '../../framework/messages.ts'
import { fieldName } from './fieldnames.ts'

const world = await openWorld()

test('every column that the audit log notes has a name in each language', async () => {
  const columns = await world.app.db.rows<{ table: string; name: string }>(sql`
    select relname::text as table, attname::text as name
    from pg_class
    join pg_attribute on attrelid = pg_class.oid
      and attnum > 0
      and not attisdropped
    where exists (
        select from pg_trigger
        where tgrelid = pg_class.oid
          and tgname like 'account_%'
          and not attname = any(split_part(encode(tgargs, 'escape'), '\\000', 2)::text[]))
    order by relname, attname`)
  assert.ok(columns.length > 300, String(columns.length))
  const unnamed = columns.filter(({ name }) => !isMessageKey(`field_${name}`) && !isMessageKey(name))
  assert.deepEqual(
    unnamed.map(({ table, name }) => `${table}.${name}`),
    [],
  )
  for (const language of languages) {
    const t = dashboardTranslator(language)
    for (const { name } of columns) assert.doesNotMatch(fieldName(t, name), /_/, `${language} ${name}`)
  }
})

test('every kind of record of the audit log has a name', () => {
  assert.deepEqual(
    nounNames.filter((name) => !isMessageKey(`noun_${name}`)),
    [],
  )
})
