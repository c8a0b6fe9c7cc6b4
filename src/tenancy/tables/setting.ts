// Undo of a checkout setting, by the operations that all settings share.
import { createSetting, deleteSetting, updateSetting, type CheckoutSetting } from '../stores/setting.ts'
import { readAt, type Undo } from './table.ts'

export function undoSetting(setting: CheckoutSetting): Undo {
  const { create, patch } = setting.resource
  return {
    change: ({ tx, store, deps }, id, before) =>
      updateSetting(tx, store, setting, id, patch.read(before, readAt(tx, store)) as object, deps),
    remove: ({ tx, store }, id) => deleteSetting(tx, store, setting, id),
    restore: ({ tx, store, deps }, past, before) =>
      createSetting(tx, store, setting, create.read(before, readAt(tx, store)) as object, deps, past),
  }
}
