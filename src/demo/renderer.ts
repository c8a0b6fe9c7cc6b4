// Renders the demo store's missing pictures: all of them at the first start, the rest after an interrupted one.
import { fork, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { causeOfJob } from '../kit/values/cause.ts'
import { systemClock } from '../kit/values/clock.ts'
import type { Database } from '../kit/database/database.ts'
import { openDatabase } from '../kit/database/open.ts'
import { sql } from '../kit/database/sql.ts'
import { listPictureFiles, buildPictureFolder } from '../commerce/media/picture.ts'
import type { Sizes } from '../commerce/media/sizes.ts'
import type { Storage } from '../commerce/media/storage.ts'
import { journal } from '../developer/tables.ts'
import { allPictures, type DemoPicture } from './pictures.ts'

const program = fileURLToPath(new URL('rendererprocess.ts', import.meta.url))

/** Renders for every demo store. After `signal` the next call renders the rest. */
export async function renderPictures(
  url: string,
  storage: Storage,
  { signal, isDistributed = false }: { signal?: AbortSignal; isDistributed?: boolean } = {},
): Promise<void> {
  const options = { url, isDistributed, clock: systemClock, connections: 1, journal }
  const db = openDatabase(options).because(causeOfJob('render demo'))
  try {
    const missing = await findMissingPictures(db)
    if (missing.length === 0) return
    const renderer = fork(program, {
      execArgv: [],
      // With node --watch, a child with this variable also sends the names of its files.
      env: { ...process.env, WATCH_REPORT_DEPENDENCIES: undefined },
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      killSignal: 'SIGKILL',
      ...(signal ? { signal } : {}),
    })
    // The exit event follows in any case.
    renderer.on('error', () => {})
    try {
      for (const picture of allPictures()) {
        const stores = missing.filter(({ hash }) => hash === picture.hash).map(({ store_id }) => store_id)
        if (stores.length > 0)
          await storeSizes(db, storage, { stores, picture, sizes: await renderSizes(renderer, picture) })
      }
    } finally {
      renderer.kill('SIGKILL')
    }
  } finally {
    await db.close()
  }
}

function findMissingPictures(db: Database): Promise<{ store_id: string; hash: string }[]> {
  return db.rows(sql`
    select store_id, hash
    from media
    where store_id in (select id from stores where slug like 'harbour-and-pine%')
      and hash = any(${allPictures().map(({ hash }) => hash)}::text[])
      and status <> 'ready'`)
}

function renderSizes(renderer: ChildProcess, picture: DemoPicture): Promise<Sizes> {
  return new Promise((resolve, reject) => {
    const fail = () => reject(new Error('the rendering process has exited'))
    renderer.once('exit', fail)
    renderer.once('message', (sizes) => {
      renderer.off('exit', fail)
      resolve(sizes as Sizes)
    })
    renderer.send(picture, (error) => error && fail())
  })
}

async function storeSizes(
  db: Database,
  storage: Storage,
  { stores, picture, sizes }: { stores: string[]; picture: DemoPicture; sizes: Sizes },
): Promise<void> {
  const types = new Map(listPictureFiles(picture).map(({ file, type }) => [file, `image/${type}`]))
  for (const storeId of stores) {
    for (const { file, bytes } of sizes) {
      await storage.put(`${buildPictureFolder(storeId, picture)}/${file}`, bytes, types.get(file)!)
    }
    await db.transaction((tx) =>
      tx.rows(sql`
        update media
        set status = 'ready'
        where store_id = ${storeId}
          and hash = ${picture.hash}`),
    )
  }
}
