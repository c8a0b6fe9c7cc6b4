// The exchanges of one completion, for pgbench: recorded from real ones, over a server that can be listened to.
import { serve } from '../processes.ts'
import { replayWrite, type Replay } from '../replay.ts'
import { openWire, sessionOptions } from '../wire.ts'
import { begin, completeOne, type Shop } from './shoppers.ts'

type Target = { url: string; pid: number; postmaster: number }

/** Each of fifty shops has a checkout that is completed again and again. */
export async function recordCompletions(
  target: Target,
  shops: Shop[],
  database: string,
  environment: Record<string, string>,
): Promise<Replay & { settings: string }> {
  const wire = await openWire(database)
  const heard = await serve('src/program/main.ts', 4131, '/readyz', { ...environment, DATABASE_URL: wire.url })
  try {
    const record = async (n: number) => {
      const shop = shops[n]!
      const { tokens } = await begin(target, [shop], 2)
      await completeOne(heard.url, tokens[0]!) // statements are prepared
      return wire.exchangesOf(shop.store.id, () => completeOne(heard.url, tokens[1]!))
    }
    const stores = Array.from({ length: Math.min(50, shops.length) }, (_, n) => n)
    return { ...(await replayWrite(record, stores)), settings: sessionOptions }
  } finally {
    await heard.stop()
    wire.close()
  }
}
