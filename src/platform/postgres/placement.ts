// Where each table's rows are once the database is distributed over several servers (Citus).

/**
 * - `distributed`: each row is on the server of its store; the rows of a store are together.
 * - `reference`: every server has all rows. It is read beside any store's, and written seldom.
 * - `local`: on the server that the processes connect to. It is found by a hash, an email address or a domain, before
 *   the store is known, or belongs to no store.
 * - `unregistered`: on that server as well, and unknown to the others: it can be emptied while one of them is away.
 */
export type Place = 'distributed' | 'reference' | 'local' | 'unregistered'

/** By table. Reference tables come after those that they refer to. */
export type Placement = Readonly<Record<string, Place>>
