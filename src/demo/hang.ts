// Draws what of the demo store's pictures is not there yet: all of them after the first start, the rest after one that
// was ended in the middle of it.
import { fork, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { systemClock } from '../kit/values/clock.ts'
import type { Database } from '../kit/database/database.ts'
import { openDatabase } from '../kit/database/open.ts'
import { sql } from '../kit/database/sql.ts'
import { filesOf, folderOf } from '../commerce/media/picture.ts'
import type { Sizes } from '../commerce/media/sizes.ts'
import type { Storage } from '../commerce/media/storage.ts'
import { allPictures, type Drawn } from './pictures.ts'

const program = fileURLToPath(new URL('easel.ts', import.meta.url))

/** In every demo store that there is. `signal` ends it; what is left is drawn by the next. */
export async function hangPictures(url: string, storage: Storage, signal?: AbortSignal): Promise<void> {
  const db = openDatabase({ url, clock: systemClock, connections: 1 })
  try {
    const places = await findEmptyPlaces(db)
    if (places.length === 0) return
    const easel = fork(program, {
      execArgv: [],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      killSignal: 'SIGKILL',
      ...(signal ? { signal } : {}),
    })
    // Its end is told in any case.
    easel.on('error', () => {})
    try {
      for (const picture of allPictures()) {
        const stores = places.filter(({ hash }) => hash === picture.hash).map(({ store_id }) => store_id)
        if (stores.length > 0) await hang(db, storage, { stores, picture, sizes: await draw(easel, picture) })
      }
    } finally {
      easel.kill('SIGKILL')
    }
  } finally {
    await db.close()
  }
}

function findEmptyPlaces(db: Database): Promise<{ store_id: string; hash: string }[]> {
  return db.rows(sql`
    select store_id, hash
    from media
    where store_id in (select id from stores where slug like 'harbour-and-pine%')
      and hash = any(${allPictures().map(({ hash }) => hash)}::text[])
      and status <> 'ready'`)
}

function draw(easel: ChildProcess, picture: Drawn): Promise<Sizes> {
  return new Promise((resolve, reject) => {
    const ended = () => reject(new Error('the program that draws has ended'))
    easel.once('exit', ended)
    easel.once('message', (sizes) => {
      easel.off('exit', ended)
      resolve(sizes as Sizes)
    })
    easel.send(picture, (error) => error && ended())
  })
}

async function hang(
  db: Database,
  storage: Storage,
  { stores, picture, sizes }: { stores: string[]; picture: Drawn; sizes: Sizes },
): Promise<void> {
  const types = new Map(filesOf(picture).map(({ file, type }) => [file, `image/${type}`]))
  for (const storeId of stores) {
    for (const { file, bytes } of sizes) {
      await storage.put(`${folderOf(storeId, picture)}/${file}`, bytes, types.get(file)!)
    }
    await db.rows(sql`
      update media
      set status = 'ready'
      where store_id = ${storeId}
        and hash = ${picture.hash}`)
  }
}
