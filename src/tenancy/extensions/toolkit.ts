// What an extension receives to declare itself. Its screens receive that of src/dashboard/framework/pages.ts.
import { sql } from '../../kit/database/sql.ts'
import { complete, list, object, set } from '../../kit/declare/composites.ts'
import { buildCrudRoutes } from '../../kit/declare/crud.ts'
import { find, findRecord, page } from '../../kit/declare/page.ts'
import { remove } from '../../kit/declare/remove.ts'
import { assignments, filter, insertInto, resource } from '../../kit/declare/resource.ts'
import { buildRouteVerbs, json } from '../../kit/declare/route.ts'
import { pick } from '../../kit/declare/row.ts'
import { choice, email, flag, id, integer, money, text, time, url } from '../../kit/declare/scalars.ts'
import { createBody, patchBody } from '../../kit/declare/shape.ts'
import { conflict, invalid, notFound } from '../../kit/values/errors.ts'
import { fault } from '../../kit/values/faults.ts'
import { newUuid, publicId } from '../../kit/values/ids.ts'
import { queueExtensionMails, queueExtensionNotice } from '../emails/queue.ts'
import { emit } from '../events/emit.ts'
import { declareEvents } from '../events/event.ts'
import { table, undoBy } from '../tables/table.ts'

export const toolkit = {
  fields: { choice, complete, email, flag, id, integer, list, money, object, pick, set, text, time, url },
  resource,
  filter,
  table,
  undoBy,
  declareEvents,
  emit,
  queueLetters: queueExtensionMails,
  queueNotice: queueExtensionNotice,
  buildCrudRoutes,
  buildRouteVerbs,
  createBody,
  patchBody,
  sql,
  insertInto,
  assignments,
  find,
  findRecord,
  page,
  remove,
  json,
  newUuid,
  publicId,
  errors: { conflict, fault, invalid, notFound },
}
