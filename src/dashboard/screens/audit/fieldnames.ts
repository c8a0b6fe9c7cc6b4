// Names of fields in stored records: for the audit log and for rejected undos.
import { messageOr, type Translate } from '../../framework/messages.ts'

/** Most fields have the name of their form input; the others have one in `dashboard-fields`. */
export function fieldName(t: Translate, name: string): string {
  return messageOr(t, `field_${name}`, messageOr(t, name, name.replaceAll('_', ' ')))
}
