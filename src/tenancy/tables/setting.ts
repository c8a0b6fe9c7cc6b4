// Undo of a checkout setting, by the operations that all settings share.
import { createSetting, deleteSetting, updateSetting, type CheckoutSetting } from '../stores/setting.ts'
import { readAt, type Undo } from './table.ts'

export function undoSetting(setting: CheckoutSetting): Undo {
  const { create, patch } = setting.resource
  return {
    change: ({ tx, store, tools }, id, before) =>
      updateSetting(tx, store, setting, id, patch.read(before, readAt(tx, store)) as object, tools),
    remove: ({ tx, store }, id) => deleteSetting(tx, store, setting, id),
    restore: ({ tx, store, tools }, past, before) =>
      createSetting(tx, store, setting, create.read(before, readAt(tx, store)) as object, tools, past),
  }
}
