// Where pictures are looked at and their sizes made, by two processes beside the server: one for what takes a moment,
// one for what takes long. Stores take turns at both, so the worst pictures of one delay the others by one of them.
import { unavailable } from '../../kit/values/errors.ts'
import { tooManyPictures } from './errors.ts'
import { openFairQueue, type FairQueue } from '../../kit/values/fairqueue.ts'
import type { Look, Measure, Task, Unfit } from './imaging.ts'
import { openImager, type Imager } from './imager.ts'
import type { Picture } from './picture.ts'
import type { Sizes } from './sizes.ts'

export type Darkroom = {
  /** `admit` may refuse a picture by what its first bytes say of it, before all of it is unpacked. */
  look(storeId: string, bytes: Uint8Array, admit: (measure: Measure) => Promise<void>): Promise<Look | Unfit>
  /** Reads the file once its turn has come. null: there is none. */
  make(storeId: string, picture: Picture, read: () => Promise<Uint8Array | null>): Promise<Sizes | Unfit | null>
  /** Whoever still waits is refused. */
  close(): Promise<void>
}

type Work = { storeId: string; kind: 'look' | 'make'; waitMs: number }
type Bench = { queue: FairQueue<Work>; imager: Imager }

/** Of a store, beside the one that is looked at: for a moment, and for long. */
const waitingOfStore = { light: 5, heavy: 2 }
const waitingInAll = 100
/** A look and all its waiting; the server ends a connection that is silent for 20 s. */
const lookMs = 12_000
const momentMs = 1500
const makeMs = 60_000

// What is decoded within about 100 ms. JPEG is decoded at an eighth of its size.
const lightPixels = { jpeg: Infinity, png: 4e6, webp: 4e6, gif: 4e6, avif: 1e6 } satisfies Record<
  Look['format'],
  number
>

export function openDarkroom(): Darkroom {
  let looksWaiting = 0
  const light = openBench({ ofStore: waitingOfStore.light, inAll: waitingInAll }, () => true)
  // Somebody waits for a look: it goes before all sizes. Sizes that wait hold nothing but their row.
  const heavy = openBench(
    { ofStore: waitingOfStore.heavy, inAll: Infinity },
    ({ kind }) => kind === 'look' || looksWaiting === 0,
  )

  const lookAtHeavy = async (storeId: string, bytes: Uint8Array, left: () => number): Promise<Look | Unfit> => {
    looksWaiting++
    const turn = heavy.queue.take({ storeId, kind: 'look', waitMs: left() })
    const counted = turn.finally(() => looksWaiting--)
    return inTurn(counted, () => looked(heavy.imager, { do: 'look', bytes }, left()))
  }
  return {
    async look(storeId, bytes, admit) {
      const deadline = performance.now() + lookMs
      const left = () => Math.max(1, deadline - performance.now())
      const turn = light.queue.take({ storeId, kind: 'look', waitMs: left() / 2 })
      const found = await inTurn(turn, async () => {
        const measure = await measured(light.imager, bytes, left())
        if ('unfit' in measure) return measure
        await admit(measure)
        if (measure.width * measure.height > lightPixels[measure.format]) return null
        const outcome = await light.imager.run({ do: 'look', bytes }, Math.min(momentMs, left()))
        if (outcome === 'ended') return lost
        return typeof outcome === 'object' && 'look' in outcome ? outcome.look : null
      })
      return found ?? lookAtHeavy(storeId, bytes, left)
    },
    make: (storeId, picture, read) =>
      inTurn(heavy.queue.take({ storeId, kind: 'make', waitMs: Infinity }), async () => {
        const bytes = await read()
        if (!bytes) return null
        const outcome = await heavy.imager.run({ do: 'make', bytes, picture }, makeMs)
        return typeof outcome === 'object' && 'sizes' in outcome ? outcome.sizes : lost
      }),
    async close() {
      for (const { queue, imager } of [light, heavy]) {
        queue.close()
        imager.close()
      }
    },
  }
}

/** It ended the process, or its sizes took longer than those of any picture may. */
const lost: Unfit = { unfit: 'unreadable' }

type MayWait = { ofStore: number; inAll: number }

function openBench({ ofStore, inAll }: MayWait, mayGo: (work: Work) => boolean): Bench {
  let isBusy = false
  const queue = openFairQueue<Work>({
    laneOf: ({ kind, storeId }) => `${kind} ${storeId}`,
    hasPlace: (work) => !isBusy && mayGo(work),
    move: (_work, by) => {
      isBusy = by === 1
    },
    maxInLane: ({ kind }) => (kind === 'look' ? ofStore : Infinity),
    maxInAll: inAll,
    waitMs: ({ waitMs }) => waitMs,
    fullError: (isLane) => (isLane ? tooManyPictures(ofStore + 1) : unavailable()),
    timeoutError: () => unavailable(),
  })
  return { queue, imager: openImager() }
}

async function inTurn<T>(turn: Promise<() => void>, work: () => Promise<T>): Promise<T> {
  const giveBack = await turn
  try {
    return await work()
  } finally {
    giveBack()
  }
}

async function measured(imager: Imager, bytes: Uint8Array, withinMs: number): Promise<Measure | Unfit> {
  const outcome = await imager.run({ do: 'measure', bytes }, withinMs)
  if (outcome === 'late') throw unavailable()
  return typeof outcome === 'object' && 'measure' in outcome ? outcome.measure : lost
}

async function looked(imager: Imager, task: Task, withinMs: number): Promise<Look | Unfit> {
  const outcome = await imager.run(task, withinMs)
  // On a machine that is starved even a good picture takes longer than somebody waits.
  if (outcome === 'late') throw unavailable()
  return typeof outcome === 'object' && 'look' in outcome ? outcome.look : lost
}
