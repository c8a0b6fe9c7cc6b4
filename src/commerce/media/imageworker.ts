// Where pictures are looked at and their sizes made, by two processes beside the server: one for what takes a moment,
// one for what takes long. Stores take turns at both, so the worst pictures of one delay the others by one of them.
import { unavailable } from '../../kit/values/errors.ts'
import { tooManyPictures } from './errors.ts'
import { openFairQueue, type FairQueue } from '../../kit/values/fairqueue.ts'
import type { ImageFacts, ImageMeasure, ImagingTask, UnfitImage } from './imaging.ts'
import { openImageProcess, type ImageProcess } from './imageprocess.ts'
import type { Picture } from './picture.ts'
import type { Sizes } from './sizes.ts'

export type ImageWorker = {
  /** `admit` may refuse a picture by what its first bytes say of it, before all of it is unpacked. */
  inspect(
    storeId: string,
    bytes: Uint8Array,
    admit: (measure: ImageMeasure) => Promise<void>,
  ): Promise<ImageFacts | UnfitImage>
  /** Reads the file once its turn has come. null: there is none. */
  makeSizes(
    storeId: string,
    picture: Picture,
    read: () => Promise<Uint8Array | null>,
  ): Promise<Sizes | UnfitImage | null>
  /** Whoever still waits is refused. */
  close(): Promise<void>
}

type ImageWork = { storeId: string; kind: 'look' | 'make'; waitMs: number }
type WorkLane = { queue: FairQueue<ImageWork>; imager: ImageProcess }

/** Of a store, beside the one that is looked at: for a moment, and for long. */
const maxWaitingOfStore = { light: 5, heavy: 2 }
const maxWaiting = 100
/** A look and all its waiting; the server ends a connection that is silent for 20 s. */
const inspectMs = 12_000
const lightMs = 1500
const makeMs = 60_000

// What is decoded within about 100 ms. JPEG is decoded at an eighth of its size.
const lightPixels = { jpeg: Infinity, png: 4e6, webp: 4e6, gif: 4e6, avif: 1e6 } satisfies Record<
  ImageFacts['format'],
  number
>

export function openImageWorker(): ImageWorker {
  let inspectionsWaiting = 0
  const light = openLane({ maxOfStore: maxWaitingOfStore.light, maxInAll: maxWaiting }, () => true)
  // Somebody waits for a look: it goes before all sizes. Sizes that wait hold nothing but their row.
  const heavy = openLane(
    { maxOfStore: maxWaitingOfStore.heavy, maxInAll: Infinity },
    ({ kind }) => kind === 'look' || inspectionsWaiting === 0,
  )

  const inspectHeavy = async (
    storeId: string,
    bytes: Uint8Array,
    remainingMs: () => number,
  ): Promise<ImageFacts | UnfitImage> => {
    inspectionsWaiting++
    const turn = heavy.queue.take({ storeId, kind: 'look', waitMs: remainingMs() })
    const countedTurn = turn.finally(() => inspectionsWaiting--)
    return inTurn(countedTurn, () => inspectWithin(heavy.imager, { do: 'look', bytes }, remainingMs()))
  }
  return {
    async inspect(storeId, bytes, admit) {
      const deadline = performance.now() + inspectMs
      const remainingMs = () => Math.max(1, deadline - performance.now())
      const turn = light.queue.take({ storeId, kind: 'look', waitMs: remainingMs() / 2 })
      const facts = await inTurn(turn, async () => {
        const measure = await measureWithin(light.imager, bytes, remainingMs())
        if ('unfit' in measure) return measure
        await admit(measure)
        if (measure.width * measure.height > lightPixels[measure.format]) return null
        const outcome = await light.imager.run({ do: 'look', bytes }, Math.min(lightMs, remainingMs()))
        if (outcome === 'ended') return unreadable
        return typeof outcome === 'object' && 'look' in outcome ? outcome.look : null
      })
      return facts ?? inspectHeavy(storeId, bytes, remainingMs)
    },
    makeSizes: (storeId, picture, read) =>
      inTurn(heavy.queue.take({ storeId, kind: 'make', waitMs: Infinity }), async () => {
        const bytes = await read()
        if (!bytes) return null
        const outcome = await heavy.imager.run({ do: 'make', bytes, picture }, makeMs)
        return typeof outcome === 'object' && 'sizes' in outcome ? outcome.sizes : unreadable
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
const unreadable: UnfitImage = { unfit: 'unreadable' }

type QueueLimits = { maxOfStore: number; maxInAll: number }

function openLane({ maxOfStore, maxInAll }: QueueLimits, mayStart: (work: ImageWork) => boolean): WorkLane {
  let isBusy = false
  const queue = openFairQueue<ImageWork>({
    laneOf: ({ kind, storeId }) => `${kind} ${storeId}`,
    hasPlace: (work) => !isBusy && mayStart(work),
    move: (_work, by) => {
      isBusy = by === 1
    },
    maxInLane: ({ kind }) => (kind === 'look' ? maxOfStore : Infinity),
    maxInAll,
    waitMs: ({ waitMs }) => waitMs,
    fullError: (isLane) => (isLane ? tooManyPictures(maxOfStore + 1) : unavailable()),
    timeoutError: () => unavailable(),
  })
  return { queue, imager: openImageProcess() }
}

async function inTurn<T>(turn: Promise<() => void>, work: () => Promise<T>): Promise<T> {
  const endTurn = await turn
  try {
    return await work()
  } finally {
    endTurn()
  }
}

async function measureWithin(
  imager: ImageProcess,
  bytes: Uint8Array,
  withinMs: number,
): Promise<ImageMeasure | UnfitImage> {
  const outcome = await imager.run({ do: 'measure', bytes }, withinMs)
  if (outcome === 'late') throw unavailable()
  return typeof outcome === 'object' && 'measure' in outcome ? outcome.measure : unreadable
}

async function inspectWithin(
  imager: ImageProcess,
  task: ImagingTask,
  withinMs: number,
): Promise<ImageFacts | UnfitImage> {
  const outcome = await imager.run(task, withinMs)
  // On a machine that is starved even a good picture takes longer than somebody waits.
  if (outcome === 'late') throw unavailable()
  return typeof outcome === 'object' && 'look' in outcome ? outcome.look : unreadable
}
