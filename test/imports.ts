// Imports in tests: a file is sent, previewed, started, and brought to its end.
import assert from 'node:assert/strict'
import { sql } from '../src/kit/database/sql.ts'
import { newUuid, toUuid } from '../src/kit/values/ids.ts'
import type { Client } from './client.ts'
import { dataOf } from './shop.ts'
import { send } from './uploads.ts'
import type { TestStore, World } from './world.ts'

/** Sends a file; the answer is the import, or an error. */
export function upload(api: Client, text: string | Buffer, fields: Record<string, string>, more = {}) {
  return send(api, Buffer.from(text as string), fields, 'file.csv', more, '/v1/imports')
}

export async function previewed(world: World, api: Client, text: string | Buffer, fields: Record<string, string>) {
  const { id } = dataOf(await upload(api, text, fields), 201)
  return settled(world, api, id)
}

/** The import once its work is done for now. */
export async function settled(world: World, api: Client, id: string): Promise<any> {
  await world.app.jobs.run('import')
  return (await api.get(`/v1/imports/${id}`)).data
}

export async function imported(world: World, api: Client, text: string | Buffer, fields: Record<string, string>) {
  const { id } = await previewed(world, api, text, fields)
  dataOf(await api.post(`/v1/imports/${id}/start`, {}), 200)
  return settled(world, api, id)
}

/** Line, column and message of each row that has one. */
export async function remarksOf(api: Client, id: string): Promise<[number, string, string | null, string][]> {
  const { data } = await api.get(`/v1/imports/${id}/rows?per_page=100`)
  return data.flatMap(({ line, outcome, messages }: any) =>
    messages.map(({ column, message }: any) => [line, outcome, column, message]),
  )
}

/** Every row has exactly one outcome, and the counts say so. */
export function assertAccounted(one: any): void {
  const {
    rows_read,
    rows_to_create,
    rows_to_update,
    rows_created,
    rows_updated,
    rows_skipped,
    rows_rejected,
    rows_undone,
  } = one
  const sum = rows_to_create + rows_to_update + rows_created + rows_updated + rows_skipped + rows_rejected + rows_undone
  assert.equal(sum, rows_read)
}

/** An import of products in some state, as its work would have left it, with images that were and were not fetched. */
export async function importIn({ app }: World, { api, store }: TestStore, status: string): Promise<string> {
  const file = 'name,price\nImported,1\nSecond,2\nThird,3\n'
  const { id } = dataOf(await upload(api, file, { kind: 'products' }), 201)
  const uuid = toUuid('imp', id)
  await app.db.rows(sql`
    update imports
    set status = ${status}, due_at = null, images_fetched = 1, images_failed = 1
    where store_id = ${store.id}
      and id = ${uuid}`)
  await app.db.rows(sql`
    update import_rows
    set outcome = case when number = 1 then 'to_create' else 'rejected' end
    where store_id = ${store.id}
      and import_id = ${uuid}`)
  await app.db.rows(sql`
    insert into import_images (store_id, import_id, product_id, url, status)
    values (${store.id}, ${uuid}, ${newUuid()}, 'https://cdn.example/1.jpg', 'fetched'),
           (${store.id}, ${uuid}, ${newUuid()}, 'https://cdn.example/2.jpg', 'failed')`)
  return id
}
