// Tables of other folders, declared above them: the events, whose erasure knows the personal data of all nouns, and the
// saved views of the dashboard.
import { sql } from '../../kit/database/sql.ts'
import { publicId } from '../../kit/values/ids.ts'
import { hasWord, listPersonWords } from '../../tenancy/tables/person.ts'
import { table, type Erase } from '../../tenancy/tables/table.ts'
import { eraseEvents } from './events.ts'

export const events = table('events', {
  audit: 'what follows from writes',
  unforked: 'the fork has its own event log',
  erasure: eraseEvents,
})

/** A list that was searched for the person: its query is that of an address. */
const eraseViews: Erase = (tx, storeId, person) => {
  const plain = listPersonWords(person)
  const encodings = plain.flatMap((word) => [
    encodeURIComponent(word),
    String(new URLSearchParams([['', word]])).slice(1),
  ])
  const words = [publicId('cus', person.id), ...encodings, ...plain]
  tx.later(sql`
    delete from saved_views
    where store_id = ${storeId}
      and ${hasWord(sql`lower(concat(query, ' ', name))`, words)}`)
}

export const savedViews = table('saved_views', {
  placement: 'local',
  audit: 'how a person likes to see a list',
  stays: 'they are of a member',
  erasure: eraseViews,
})
