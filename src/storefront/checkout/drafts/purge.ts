// What goes of a person: some time after a draft has ended, and with the customer.
import { raw } from '../../../kit/database/sql.ts'
import { personalFieldNames } from '../checkout.ts'

/** `set` of an update: everything that is marked as personal. */
export const withoutPersonalData = raw(personalFieldNames.map((name) => `${name} = null`).join(',\n    '))
