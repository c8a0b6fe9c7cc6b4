import { sql } from '../../kit/database/sql.ts'
import { publicId } from '../../kit/values/ids.ts'
import { hasWord, listPersonWords } from '../../tenancy/tables/person.ts'
import { type Erase, table } from '../../tenancy/tables/table.ts'

/** Proposals that name the person or a record of theirs, in the request or the answer. */
const eraseProposals: Erase = (tx, storeId, person) => {
  const words = sql`lower(concat(request, answer, rehearsal, note, reason, result))`
  const records = [
    publicId('cus', person.id),
    ...person.orderIds.map((id) => publicId('ord', id)),
    ...person.returnIds.map((id) => publicId('ret', id)),
    ...person.checkoutIds.map((id) => publicId('chk', id)),
    ...person.draftOrderIds.map((id) => publicId('dord', id)),
  ]
  tx.later(sql`
    delete from proposals
    where store_id = ${storeId}
      and ${hasWord(words, [...records, ...listPersonWords(person)])}`)
}

export const proposals = table('proposals', {
  audit: 'a log of its own; what is approved is a write',
  unforked: 'what keys proposed',
  erasure: eraseProposals,
})
