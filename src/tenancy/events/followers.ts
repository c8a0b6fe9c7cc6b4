// What extensions do in the transaction of an event.
import type { Tx } from '../../kit/database/database.ts'

/** The public IDs of the records that the events are about, and the parts of their bodies. */
export type EventSubject = { id: string; payload: object }

/** Its statements belong to the write: if one fails, so does the write. */
export type FollowEvent = (tx: Tx, store: { id: string }, subjects: readonly EventSubject[]) => void

const followers = new Map<string, FollowEvent[]>()

/** Calls `follow` for each event of this type, in its transaction and after the statements of the change. */
export function followEvent(type: string, follow: FollowEvent): void {
  followers.set(type, [...(followers.get(type) ?? []), follow])
}

export function callFollowers(tx: Tx, store: { id: string }, event: string, subjects: readonly EventSubject[]): void {
  for (const follow of followers.get(event) ?? []) follow(tx, store, subjects)
}
