// Inspects images and creates their renditions in two processes beside the server: one for quick tasks, one for slow
// ones. Stores take turns in both, so that one store's worst image delays others only once.
import { unavailable } from '../../kit/values/errors.ts'
import { tooManyPictures } from './errors.ts'
import { openFairQueue, type FairQueue } from '../../kit/values/fairqueue.ts'
import type { ImageFacts, ImageMeasure, ImagingTask, UnfitImage } from './imaging.ts'
import { openImageProcess, type ImageProcess } from './imageprocess.ts'
import type { Picture } from './picture.ts'
import type { Sizes } from './sizes.ts'

export type ImageWorker = {
  /** `admit` can refuse an image based on its header, before it is decoded completely. */
  inspect(
    storeId: string,
    bytes: Uint8Array,
    admit: (measure: ImageMeasure) => Promise<void>,
  ): Promise<ImageFacts | UnfitImage>
  /** Reads the file when its turn comes; null if it does not exist. */
  makeSizes(
    storeId: string,
    picture: Picture,
    read: () => Promise<Uint8Array | null>,
  ): Promise<Sizes | UnfitImage | null>
  /** Refuses the tasks that are still waiting. */
  close(): Promise<void>
}

type ImageWork = { storeId: string; kind: 'look' | 'make'; waitMs: number }
type WorkLane = { queue: FairQueue<ImageWork>; imager: ImageProcess }

/** The waiting tasks of a store beside the one that runs, quick and slow. */
const maxWaitingOfStore = { light: 5, heavy: 2 }
const maxWaiting = 100
/** Limits an inspection including its wait, because the server closes connections that are silent for 20 s. */
const inspectMs = 12_000
const lightMs = 1500
const makeMs = 60_000

// Images decoded in about 100 ms. JPEG is decoded at an eighth of its size.
const lightPixels = { jpeg: Infinity, png: 4e6, webp: 4e6, gif: 4e6, avif: 1e6 } satisfies Record<
  ImageFacts['format'],
  number
>

export function openImageWorker(): ImageWorker {
  let inspectionsWaiting = 0
  const light = openLane({ maxOfStore: maxWaitingOfStore.light, maxInAll: maxWaiting }, () => true)
  // Inspections go first, because a request waits for them. A waiting rendition task holds only its row.
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

/** The image crashed the process, or its renditions took longer than allowed. */
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
  // On an overloaded machine, even a good image can take too long.
  if (outcome === 'late') throw unavailable()
  return typeof outcome === 'object' && 'look' in outcome ? outcome.look : unreadable
}
