// Asks providers for what was committed in this process, at once; the jobs take over what nobody has finished.
import type { Database } from '../kit/database/database.ts'
import type { Log } from '../platform/process/log.ts'
import { onAsked } from '../orders/asked.ts'
import type { PaymentTools } from './call.ts'
import { askHold } from './holding.ts'
import { askRefund } from './refunding.ts'

/** `stop` waits for the answers that are under way. */
export function startAsking({ db, tools, log }: { db: Database; tools: PaymentTools; log: Log }) {
  const underWay = new Set<Promise<void>>()
  const forget = onAsked(({ of, storeId, id }) => {
    const ask = of === 'refund' ? askRefund : askHold
    const asked = ask(db, storeId, id, tools)
      .catch((error: unknown) => log.error({ err: error, store: storeId, [of]: id }, 'a provider was not asked'))
      .finally(() => underWay.delete(asked))
    underWay.add(asked)
  })
  return {
    async stop() {
      forget()
      await Promise.all(underWay)
    },
  }
}
