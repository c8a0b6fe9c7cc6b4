// Settings that statements read beside their parameters: the store that policies show, and whether triggers run.
import type { Statement } from './sql.ts'

/** The role of sessions under row-level security. */
export const tenantRole = 'stoa_tenant'

type SettingsOptions = { hasRowSecurity: boolean; isAudited: boolean; isDistributed: boolean }

type Frame = { before: readonly Statement[]; after: readonly Statement[] }

export type Settings = {
  /** Startup settings of each session, in PostgreSQL's form. */
  session: readonly string[]
  /** The statements behind BEGIN, for a store or for none. */
  ofTransaction(storeId?: string): readonly Statement[]
  /** The statements around reads outside a transaction. */
  aroundReads(storeId?: string): Frame
}

export function chooseSettings(options: SettingsOptions): Settings {
  return options.isDistributed ? ofTransactions(options) : ofSessions(options)
}

// Sessions that serve no store say so by the asterisk; all others name their store.
const everyStore = '*'

function ofSessions({ hasRowSecurity, isAudited }: SettingsOptions): Settings {
  const within = (storeId?: string) => (hasRowSecurity && storeId !== undefined ? [storeSetting(storeId)] : [])
  return {
    session: [
      'plan_cache_mode=force_generic_plan',
      ...(isAudited ? ['stoa.journal=on'] : []),
      ...(hasRowSecurity ? [`role=${tenantRole}`, `stoa.store_id=${everyStore}`] : []),
    ],
    ofTransaction: within,
    aroundReads: (storeId) => ({ before: within(storeId), after: [] }),
  }
}

/** Lasts to the end of the transaction, or of the exchange outside a transaction. */
function storeSetting(storeId: string): Statement {
  return { name: 'within', text: `select set_config('stoa.store_id', $1, true)`, values: [storeId] }
}

/**
 * Citus sends `set local` of a transaction to the servers that it reaches, and no setting of a session. It cannot
 * route a generic plan, whose store is not known.
 */
function ofTransactions({ hasRowSecurity, isAudited }: SettingsOptions): Settings {
  const within = (storeId = everyStore) => (hasRowSecurity ? [local('store_id', storeId)] : [])
  const statements = isAudited ? [local('journal', 'on')] : []
  return {
    session: [
      'plan_cache_mode=force_custom_plan',
      'citus.propagate_set_commands=local',
      ...(hasRowSecurity ? [`role=${tenantRole}`] : []),
    ],
    ofTransaction: (storeId) => [...statements, ...within(storeId)],
    aroundReads: (storeId) =>
      hasRowSecurity ? { before: [plain('begin'), ...within(storeId)], after: [plain('commit')] } : noFrame,
  }
}

const noFrame: Frame = { before: [], after: [] }

/** A utility statement takes no parameters. */
function local(name: string, value: string): Statement {
  return plain(`set local stoa.${name} = '${value.replaceAll("'", "''")}'`)
}

function plain(text: string): Statement {
  return { text, values: [] }
}
