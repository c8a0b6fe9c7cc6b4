// Names of fields where records are shown as they were stored: in the audit log and in what an undo refuses.
import { messageOr, type Translate } from '../../framework/messages.ts'

/** Most fields are called as in forms; the others have a name in `dashboard-fields`. */
export function fieldName(t: Translate, name: string): string {
  return messageOr(t, `field_${name}`, messageOr(t, name, name.replaceAll('_', ' ')))
}
