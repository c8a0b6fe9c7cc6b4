// Finds the members of a store whom a comment mentions: @ and their name, their first name if only one has it, or their
// email.
import type { Db } from '../../../kit/database/database.ts'
import { listMembers } from '../../../identity/accounts/members.ts'
import { mayUse } from '../../../identity/accounts/roles.ts'
import { maxMentions } from './comment.ts'

/** A member who can be mentioned. `names` are in lower case. */
export type Mentionable = { id: string; name: string; email: string; names: string[] }

/** The members who can read orders. The first name is theirs if no other member has it. */
export async function findMentionable(db: Db, storeId: string): Promise<Mentionable[]> {
  const members = await listMembers(db, storeId)
  const people = members.filter(({ role }) => mayUse(role, 'read:orders'))
  const firstNames = Map.groupBy(people, ({ name }) => firstName(name))
  return people.map(({ user_id, name, email }) => ({
    id: user_id,
    name: name?.trim() || email,
    email,
    names: [
      ...(name?.trim() ? [name.trim().toLowerCase()] : []),
      ...(firstName(name) && firstNames.get(firstName(name))!.length === 1 ? [firstName(name)] : []),
      email.toLowerCase(),
    ],
  }))
}

function firstName(name: string | null): string {
  return name?.trim().split(/\s+/)[0]!.toLowerCase() ?? ''
}

/** The mentioned members, in the order of the text. Two members of the same name are both meant. */
export async function findMentions(db: Db, storeId: string, body: string): Promise<Mentionable[]> {
  if (!body.includes('@')) return []
  const members = await findMentionable(db, storeId)
  const mentions = mentionsIn(body, members).flatMap(({ members: own }) => own)
  return [...new Set(mentions)].slice(0, maxMentions)
}

type Mention = { from: number; to: number; members: Mentionable[] }

/** Each mention of a text, by the longest name that follows the @. */
export function mentionsIn(body: string, members: readonly Mentionable[]): Mention[] {
  const lower = body.toLowerCase()
  const byName = new Map<string, Mentionable[]>()
  for (const member of members) {
    for (const name of member.names) byName.set(name, [...(byName.get(name) ?? []), member])
  }
  const names = [...byName.keys()].sort((a, b) => b.length - a.length)
  return [...lower.matchAll(/(?<![\p{L}\p{N}._%+-])@/gu)].flatMap(({ index }) => {
    const after = lower.slice(index + 1)
    const name = names.find((one) => after.startsWith(one) && !/^[\p{L}\p{N}]/u.test(after.slice(one.length)))
    return name === undefined ? [] : [{ from: index, to: index + 1 + name.length, members: byName.get(name)! }]
  })
}
