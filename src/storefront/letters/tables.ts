import { sql } from '../../kit/database/sql.ts'
import { eachLanguage } from '../../kit/values/language.ts'
import { type UndoCall, type UndoValues, readAt, table } from '../../tenancy/tables/table.ts'
import { changeMailSetting, requireMailKind, mailSettingChanges, mailSetting } from './setting.ts'

function changeMail(
  { tx, store }: UndoCall,
  kind: string,
  { words, kind: _, ...values }: UndoValues,
): Promise<unknown> {
  const own = words as UndoValues | undefined
  const patch = { ...values, ...(own ? eachLanguage((language) => own[language] ?? null) : {}) }
  return changeMailSetting(tx, store, requireMailKind(kind), mailSettingChanges.read(patch, readAt(tx, store)))
}

/** Without a row the default texts apply. */
async function removeMailSetting(call: UndoCall, kind: string): Promise<void> {
  await changeMail(call, kind, { is_active: true, words: {} })
  call.tx.later(sql`
    delete from mail_settings
    where store_id = ${call.store.id}
      and kind = ${kind}`)
}

export const mailSettings = table(mailSetting, {
  audit: {
    noun: 'mail_setting',
    undo: {
      key: 'kind',
      change: changeMail,
      remove: removeMailSetting,
      restore: (call, _past, before) => changeMail(call, String(before.kind), before),
    },
  },
})
