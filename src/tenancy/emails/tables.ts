import { sql } from '../../kit/database/sql.ts'
import { withoutPersonal } from '../../kit/declare/row.ts'
import { isMailTo, buildEnquiryMatch } from '../tables/mails.ts'
import { type Erase, table } from '../tables/table.ts'
import { mail } from './mail.ts'

/** Cancels emails to their addresses and removes the addresses of earlier ones. */
const eraseMails: Erase = (tx, storeId, person) => {
  tx.later(sql`
    update mails
    set ${withoutPersonal(mail.fields)},
        status = case when status = 'queued' then 'suppressed' else status end,
        error = case when status = 'queued' or error is not null then 'The person was erased' end,
        next_attempt_at = null,
        account = case when kind <> 'extension' then account end
    where store_id = ${storeId}
      and ${isMailTo(person)}`)
  // A server's answer may repeat the sender's data.
  tx.later(sql`
    update mails
    set enquiry = null,
        error = case when error is not null then 'The person was erased' end
    where store_id = ${storeId}
      and ${buildEnquiryMatch(person)}`)
}

export const mails = table(mail, {
  audit: 'what follows from writes',
  unforked: 'email to people',
  erasure: eraseMails,
})
