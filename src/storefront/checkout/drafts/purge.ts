// What goes of a person: some time after a draft has ended, and with the customer.
import { raw } from '../../../kit/database/sql.ts'
import { personal } from '../checkout.ts'

/** `set` of an update: everything that is marked as personal. */
export const withoutPerson = raw(personal.map((name) => `${name} = null`).join(',\n    '))
